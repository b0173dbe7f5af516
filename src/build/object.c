#include "build/object.h"

int object_read(const char *path, struct object_facts *facts, struct error *e)
{
    (void)path, (void)e;
    *facts = (struct object_facts){0};
    return 0;
}
