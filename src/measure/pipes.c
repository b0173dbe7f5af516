// SPDX-License-Identifier: MIT
#include "measure/pipes.h"

#include <math.h>
#include <stdbool.h>

const char *const pipe_kind_names[PIPE_KINDS] = {"multiplication", "addition", "shuffle",
                                                 "permutation",    "shift",    "division"};

double pipes_time(const unsigned *set, const double *work, size_t count, unsigned pipes)
{
    double longest = 0;
    for (unsigned u = 1; u < 1u << pipes; u++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            if (set[i] && !(set[i] & ~u)) sum += work[i];
        longest = fmax(longest, sum / __builtin_popcount(u));
    }
    return longest;
}

unsigned pipes_copies(double cycles, double others)
{
    enum { MOST = 40 };
    double copies = fmax(1, round(others / cycles));
    return copies < MOST ? (unsigned)copies : MOST;
}

/* Returns whether an instruction may use the set: one that takes `cycles` alone takes cycles *
 * |set| of its pipes, and none takes less than one cycle of one pipe. */
static bool is_possible(unsigned set, double cycles)
{
    return cycles * __builtin_popcount(set) > 0.9;
}

/* An operation takes one cycle of a pipe, so what takes less than two has one. */
static double whole_work(double work)
{
    return work < 1.9 ? 1 : work;
}

static double square(double x)
{
    return x * x;
}

/* Squared logarithm of predicted over measured; unmeasured mixes fit anything. */
static double misfit(double predicted, double measured)
{
    return isnan(measured) || measured <= 0 ? 0 : square(log(predicted / measured));
}

static double pair_time(const struct pipe_basis *b, const unsigned set[PIPE_KINDS], size_t i,
                        size_t k)
{
    unsigned sets[2] = {set[i], set[k]};
    double work[2] = {
        b->cycles[i] * __builtin_popcount(set[i]) * pipes_copies(b->cycles[i], b->cycles[k]),
        b->cycles[k] * __builtin_popcount(set[k]) * pipes_copies(b->cycles[k], b->cycles[i])};
    return pipes_time(sets, work, 2, b->pipes);
}

/* Depth first over the kinds. Pipes are equal but for their kinds, so multiplications take the
 * first ones. */
static void search(const struct pipe_basis *b, unsigned set[PIPE_KINDS], size_t kind, double sum,
                   double *least, unsigned best[PIPE_KINDS])
{
    if (sum >= *least) return;
    if (kind == PIPE_KINDS) {
        *least = sum;
        for (size_t i = 0; i < PIPE_KINDS; i++) best[i] = set[i];
        return;
    }
    for (unsigned s = (1u << b->pipes) - 1; s; s--) {
        if (isnan(b->cycles[kind]))
            s = 1;
        else if (!is_possible(s, b->cycles[kind]))
            continue;
        if (kind == 0 && (s & (s + 1))) continue;
        double more = sum + 1e-6 * square(b->cycles[kind] * __builtin_popcount(s) - 1);
        set[kind] = isnan(b->cycles[kind]) ? 0 : s;
        for (size_t i = 0; i < kind && set[kind]; i++)
            if (set[i]) more += misfit(pair_time(b, set, i, kind), b->pair[i][kind]);
        search(b, set, kind + 1, isnan(more) ? sum : more, least, best);
    }
}

void pipes_find_basis(struct pipe_basis *b)
{
    unsigned set[PIPE_KINDS] = {0}, best[PIPE_KINDS] = {0};
    double least = INFINITY;
    search(b, set, 0, 0, &least, best);
    for (size_t i = 0; i < PIPE_KINDS; i++) {
        b->kind[i] = (struct pipe_use){
            .set = best[i], .work = best[i] ? b->cycles[i] * __builtin_popcount(best[i]) : 0};
        for (size_t k = 0; k < PIPE_KINDS; k++) {
            double measured = i < k ? b->pair[i][k] : b->pair[k][i];
            if (i != k && best[i] && best[k] && !isnan(measured))
                b->kind[i].misfit =
                    fmax(b->kind[i].misfit, fabs(pair_time(b, best, i, k) / measured - 1));
        }
    }
}

static double mix_time(const struct pipe_basis *b, const struct pipe_use *use, size_t kind,
                       unsigned beside)
{
    unsigned sets[3] = {use->set, b->kind[kind].set, use->hinders};
    double works[3] = {use->work, b->kind[kind].work * beside, use->hindrance};
    return pipes_time(sets, works, 3, b->pipes);
}

/* Returns the sum of squares over the mixes. */
static double mixes_misfit(const struct pipe_basis *b, struct pipe_use *use,
                           const struct pipe_mix mix[PIPE_KINDS])
{
    double sum = 0;
    use->misfit = 0;
    for (size_t k = 0; k < PIPE_KINDS; k++) {
        if (!b->kind[k].set || isnan(mix[k].cycles)) continue;
        double predicted = mix_time(b, use, k, mix[k].beside);
        sum += misfit(predicted, mix[k].cycles);
        use->misfit = fmax(use->misfit, fabs(predicted / mix[k].cycles - 1));
    }
    return sum;
}

/* Finds how much longer a mix with instructions of other pipes takes than either alone. */
static void find_hindrance(const struct pipe_basis *b, struct pipe_use *use,
                           const struct pipe_mix mix[PIPE_KINDS])
{
    const double worth_it = 1.08;
    for (size_t k = 0; k < PIPE_KINDS; k++) {
        const struct pipe_use *kind = &b->kind[k];
        double free =
            mix_time(b, &(struct pipe_use){use->set, use->work, 0, 0, 0}, k, mix[k].beside);
        if (!kind->set || (kind->set & use->set) || !(mix[k].cycles > worth_it * free)) continue;
        double more = mix[k].cycles * __builtin_popcount(kind->set) - kind->work * mix[k].beside;
        if (more <= use->hindrance) continue;
        use->hinders = kind->set;
        use->hindrance = more;
    }
}

/* Places an instruction. Of sets that fit equally well it takes the largest, which promises the
 * least. */
struct pipe_use pipes_place(const struct pipe_basis *b, double cycles,
                            const struct pipe_mix mix[PIPE_KINDS])
{
    struct pipe_use best = {.set = 0};
    double least = INFINITY;
    for (unsigned s = 1; s < 1u << b->pipes && cycles > 0; s++) {
        if (!is_possible(s, cycles)) continue;
        struct pipe_use use = {.set = s, .work = whole_work(cycles * __builtin_popcount(s))};
        double sum = mixes_misfit(b, &use, mix) - 1e-4 * __builtin_popcount(s);
        if (sum >= least) continue;
        least = sum;
        best = use;
    }
    if (best.set) find_hindrance(b, &best, mix);
    mixes_misfit(b, &best, mix);
    return best;
}
