#include "publish/archive/variants.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "publish/load/codes.h"

enum { PARTS = 6, FIRST_ROOM = 1 << 12 };

struct spelling {
    struct slice text; /* at is NULL: free */
    uint64_t hash;
    size_t place;
};

/* op/algorithm/dtype=../isa=../cc=../policy=.., without what follows. */
static struct slice head_of(struct slice id)
{
    const char *at = id.at, *const end = id.at + id.size;
    for (int part = 0; part < PARTS; part++) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        if (!slash) return id;
        at = slash + 1;
    }
    return (struct slice){id.at, (size_t)(at - 1 - id.at)};
}

static struct spelling *find(const struct variants *v, struct slice text, uint64_t hash)
{
    size_t i = hash & (v->spelling_room - 1);
    while (v->spellings[i].text.at &&
           (v->spellings[i].hash != hash || v->spellings[i].text.size != text.size ||
            memcmp(v->spellings[i].text.at, text.at, text.size) != 0))
        i = (i + 1) & (v->spelling_room - 1);
    return &v->spellings[i];
}

/* Keeps the table at most half full. */
static void make_room(struct variants *v)
{
    if (2 * (v->spelling_count + 1) <= v->spelling_room) return;
    const struct variants old = *v;
    v->spelling_room = old.spelling_room ? 2 * old.spelling_room : FIRST_ROOM;
    v->spellings = memory_zeroed(v->spelling_room, sizeof *v->spellings);
    for (size_t i = 0; i < old.spelling_room; i++)
        if (old.spellings[i].text.at)
            *find(v, old.spellings[i].text, old.spellings[i].hash) = old.spellings[i];
    free(old.spellings);
}

static size_t add_variant(struct variants *v, const struct axes *axes)
{
    if (v->count == v->room) {
        v->room = 2 * v->room + 1024;
        v->items = memory_grow(v->items, v->room * sizeof *v->items);
    }
    v->items[v->count] = (struct named_variant){.axes = *axes};
    return v->count++;
}

size_t variants_place(struct variants *v, struct slice id)
{
    const struct slice head = head_of(id);
    char text[2 * VARIANT_ID_MAX];
    struct axes axes;
    const uint64_t hash = hash_bytes(HASH_BASIS, head.at, head.size);
    make_room(v);
    struct spelling *s = find(v, head, hash);
    if (s->text.at) return s->place;
    if (head.size >= sizeof text) return SIZE_MAX;
    memcpy(text, head.at, head.size);
    text[head.size] = '\0';
    if (!axes_parse(text, &axes)) return SIZE_MAX;
    *s = (struct spelling){head, hash, add_variant(v, &axes)};
    v->spelling_count++;
    return s->place;
}

void variants_free(struct variants *v)
{
    free(v->items);
    free(v->spellings);
    *v = (struct variants){0};
}
