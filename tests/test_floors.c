// SPDX-License-Identifier: MIT
/* The layers of src/: a file includes only files of its own floor or below, and files of one floor
 * do not include each other in a circle. docs/architecture.md says what each floor is for. */
#include "drive.h"

/* The floors, lowest first. The stages of publish/ are floors of their own. libulp is the lowest,
 * so that it can include nothing of the lab. */
static const char *const floors[] = {
    "src/lib/",
    "src/base/",
    "src/build/", /* reads objects, for the build's registry-tool and for cases */
    "src/machine/",
    "src/model/",
    "src/oracle/",
    "src/measure/",
    "src/study/",
    "src/publish/db/",
    "src/publish/render/",
    "src/publish/sql/",
    "src/publish/compare/",
    "src/publish/archive/",
    "src/publish/history/",
    "src/publish/policy/",
    "src/publish/sections/",
    "src/publish/site/",
    "src/publish/export/",
    "src/cases/",
    "src/cmd/",
    "src/main.c",
};
enum { FLOORS = sizeof floors / sizeof *floors, NAME_MAX_BYTES = 128, MODULES_MAX = 400 };

/* Returns the floor of a path; FLOORS if it has none. */
static size_t floor_of(const char *path)
{
    size_t i = 0;
    while (i < FLOORS && strncmp(path, floors[i], strlen(floors[i])) != 0) i++;
    return i;
}

/* A module is NAME.c and NAME.h together. */
struct module {
    char name[NAME_MAX_BYTES];
    size_t includes[64], include_count;
    enum { UNSEEN, OPEN, CLOSED } state;
};
struct house {
    struct module modules[MODULES_MAX];
    size_t count;
};

static size_t module_of(struct house *h, const char *path)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)(strrchr(path, '.') - path), path);
    for (size_t i = 0; i < h->count; i++)
        if (!strcmp(h->modules[i].name, name)) return i;
    assert_true(h->count < MODULES_MAX);
    struct module *m = &h->modules[h->count];
    memset(m, 0, sizeof *m);
    memcpy(m->name, name, sizeof name);
    return h->count++;
}

/* Writes the path that a line `#include "..."` names; returns false if it is not in src/. */
static bool included_path(const char *line, char path[NAME_MAX_BYTES])
{
    char name[NAME_MAX_BYTES - 8];
    if (sscanf(line, "#include \"%100[^\"]\"", name) != 1) return false;
    snprintf(path, NAME_MAX_BYTES, "src/%s", name);
    return access(path, R_OK) == 0;
}

/* Records which files a file includes; returns how many of these are on a higher floor. */
static size_t read_file(struct house *h, const char *path)
{
    char line[512], other[NAME_MAX_BYTES];
    size_t upward = 0, self = module_of(h, path);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        if (!included_path(line, other)) continue;
        if (floor_of(other) > floor_of(path)) {
            print_error("%s includes %s, which is on a floor above it\n", path, other);
            upward++;
        }
        struct module *m = &h->modules[self];
        size_t target = module_of(h, other);
        assert_true(m->include_count < sizeof m->includes / sizeof *m->includes);
        if (target != self) m->includes[m->include_count++] = target;
    }
    fclose(in);
    return upward;
}

/* Searches depth first: a module that is reached again while it is open closes a circle. */
static size_t count_circles(struct house *h, size_t at)
{
    struct module *m = &h->modules[at];
    size_t circles = 0;
    m->state = OPEN;
    for (size_t i = 0; i < m->include_count; i++) {
        const struct module *next = &h->modules[m->includes[i]];
        if (next->state == OPEN) {
            print_error("a circle: %s includes %s, which leads back to it\n", m->name, next->name);
            circles++;
        } else if (next->state == UNSEEN) {
            circles += count_circles(h, m->includes[i]);
        }
    }
    m->state = CLOSED;
    return circles;
}

static struct house *read_house(size_t *upward)
{
    static const char *const sources[] = {"src/*.[ch]", "src/*/*.[ch]", "src/*/*/*.[ch]", NULL};
    struct house *h = keep(calloc(1, sizeof *h));
    *upward = 0;
    for (char **path = drive_glob(sources); *path; path++) {
        if (floor_of(*path) == FLOORS) fail_msg("%s stands on no floor", *path);
        *upward += read_file(h, *path);
    }
    return h;
}

TEST(includes_go_down)
{
    size_t upward;
    struct house *h = read_house(&upward);
    assert_true(h->count > 100);
    assert_int_equal(upward, 0);
}

TEST(no_modules_stand_in_a_circle)
{
    size_t upward, circles = 0;
    struct house *h = read_house(&upward);
    for (size_t i = 0; i < h->count; i++)
        if (h->modules[i].state == UNSEEN) circles += count_circles(h, i);
    assert_int_equal(circles, 0);
}

/* No function's name stands twice in src/, but for those that scripts/house.names lists. The check
 * sees a function whose name is there already. */
TEST(every_function_has_a_name_of_its_own)
{
    must("scripts/house --check");
    must("grep -v '^callback run$' scripts/house.names >${BUILD:-build}/house.names && "
         "! scripts/house --check ${BUILD:-build}/house.names 2>/dev/null");
}
