-- SPDX-License-Identifier: MIT
-- The cells that the columns of `ulplab policy` are computed over, in words.
SELECT 'speed: over off of the same compiler [95%, over processes], over the cells that every policy has, of kernels whose '
  || 'code a policy changes; each operation weighs the same, equal code is 1. overall: over off of one compiler, over the '
  || 'cells that all compilers have. ' || text FROM identical_words;
SELECT cc || ': ' || cells || ' cells of ' || kernels || ' kernels and ' || operations || ' operations; ' || unchanged
  || ' kernels no policy changes' || iif(bar_given OR isa OR ccs OR tail OR threads OR no_broken_cases,
    '; kernels that miss the constraints are left out', '') || '.'
FROM judged, (SELECT bar_given, isa, cc AS ccs, tail, threads, no_broken_cases FROM asked) WHERE policy = 'off' AND operations > 0
ORDER BY place;
SELECT 'error: of each kernel on family normal over that under off, geometric mean; hazards are left out. bits: kernels whose '
  || 'results are not those of off.';
SELECT 'lost: results that off computes and the policy does not, of its worst build.';
SELECT 'isa, cc, tail, threads: are the bits of every kernel equal over them? no 3/17: of 3 kernels in 17.';
SELECT 'front: nothing is at least as fast (overall) and as accurate.' || iif(EXISTS(SELECT 1 FROM cases), '',
  ' cases: not measured.');
SELECT 'A policy is allowed where every operation has a kernel within the bar of ' || digits(max_ulp, 3) || ' ulp, or u where '
  || 'results come near zero (--max-ulp), over every input where a scan has them all, else over all families.' FROM asked
WHERE max_ulp IS NOT NULL;
