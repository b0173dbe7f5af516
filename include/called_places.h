// SPDX-License-Identifier: MIT
/* Places that the callers of a function keep, in a kernel file that `ulplab try` writes around it:
 * rows of the stage that stand elsewhere are copied there. The kernel file defines ulplab_real and
 *   ULPLAB_ROOMS      the number of places
 *   ULPLAB_ALIGNED    the alignment of a place, in bytes
 *   ULPLAB_FILLED(n)  whether a row of n has to be copied wherever it stands
 *   ULPLAB_PROBE      whether the kernel looks for the cause of a fault; an access before a place
 *                     then ends the program by SIGFPE
 *   ULPLAB_SHIFT      the offset of a row from an aligned address, in elements
 *   ULPLAB_GUARDED    whether what is written behind a row is a fault */
#ifndef ULPLAB_CALLED_PLACES_H
#define ULPLAB_CALLED_PLACES_H

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ULPLAB_PAGE = 4096, ULPLAB_BEHIND = 64 };
static __thread struct {
    ulplab_real *at;
    const ulplab_real *from;
    size_t n;
} ulplab_rooms[ULPLAB_ROOMS];

/* Ends the program by SIGFPE for a fault right before a place. */
static void ulplab_fault(int number, siginfo_t *info, void *context)
{
    const uintptr_t at = (uintptr_t)info->si_addr;
    (void)context;
    for (unsigned k = 0; k < ULPLAB_ROOMS; k++)
        if (ulplab_rooms[k].at && (uintptr_t)ulplab_rooms[k].at - at <= ULPLAB_PAGE)
            number = SIGFPE;
    signal(number, SIG_DFL);
    raise(number);
}

/* Returns place k, with room for n elements and some behind them. */
static ulplab_real *ulplab_room(unsigned k, size_t n)
{
    struct sigaction action;
    if (n + ULPLAB_BEHIND >= ulplab_rooms[k].n) {
        ulplab_rooms[k].n = 2 * n + 256;
        char *base = (char *)mmap(NULL, ULPLAB_PAGE + ulplab_rooms[k].n * sizeof(ulplab_real),
                                  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED || mprotect(base, ULPLAB_PAGE, PROT_NONE) != 0) abort();
        ulplab_rooms[k].at = (ulplab_real *)(base + ULPLAB_PAGE);
        memset(&action, 0, sizeof action);
        action.sa_sigaction = ulplab_fault;
        action.sa_flags = SA_SIGINFO;
        if (ULPLAB_PROBE) sigaction(SIGSEGV, &action, NULL);
    }
    return ulplab_rooms[k].at + ULPLAB_SHIFT;
}

/* Returns where a row may be read that callers pass so: there, or a copy at place k. */
static inline const ulplab_real *ulplab_place(unsigned k, const ulplab_real *from, size_t n)
{
    if (!(ULPLAB_FILLED(n)) && (uintptr_t)from % ULPLAB_ALIGNED == 0) return from;
    ulplab_real *to = ulplab_room(k, n);
    ulplab_rooms[k].from = from;
    memcpy(to, from, n * sizeof *to);
    memset(to + n, 0, ULPLAB_BEHIND * sizeof *to);
    return to;
}

/* Returns where results may be written that callers pass so: there, or place k. in_place: the
 * input that stands there; or NULL. */
static inline ulplab_real *ulplab_begin(unsigned k, ulplab_real *y, size_t n, size_t all,
                                        const ulplab_real *in_place)
{
    if (ULPLAB_FILLED(n) || (uintptr_t)y % ULPLAB_ALIGNED) y = ulplab_room(k, all);
    if (in_place) memcpy(y, in_place, all * sizeof *y);
    if (ULPLAB_GUARDED) memset(y + all, 0x5a, ULPLAB_BEHIND * sizeof *y);
    return y;
}

/* Copies results from there to where they belong. */
static inline void ulplab_end(const ulplab_real *y, size_t all, ulplab_real *results, size_t count)
{
    const unsigned char *behind = (const unsigned char *)(y + all);
    for (size_t i = 0; ULPLAB_GUARDED && i < ULPLAB_BEHIND * sizeof *y; i++)
        if (behind[i] != 0x5a) raise(SIGSEGV);
    if (y != results) memcpy(results, y, count * sizeof *y);
}

/* Ends the program by SIGBUS unless operands are as they were before the call. */
static inline void ulplab_kept(size_t n)
{
    for (unsigned k = 0; k < ULPLAB_ROOMS; k++)
        if (ulplab_rooms[k].from && memcmp(ulplab_rooms[k].at + ULPLAB_SHIFT, ulplab_rooms[k].from,
                                           n * sizeof *ulplab_rooms[k].at))
            raise(SIGBUS);
}

#endif
