#include "probe.h"
#include "vec.h"

static void run(struct probe_result *r)
{
    (void)v_add;
    *r = (struct probe_result){0};
}

const struct probe KERNEL = {.run = run};
