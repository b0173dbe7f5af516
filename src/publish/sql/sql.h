/* The questions of this folder (sql.S). Each file says what it answers, its columns and their
 * units. */
#ifndef ULPLAB_SQL_H
#define ULPLAB_SQL_H

extern const char sql_facts[];        /* tables that everything published begins with (facts.h) */
extern const char sql_policy_scope[]; /* tables that the other questions on policies are asked of */
extern const char sql_policy_speed[]; /* what does each policy buy in speed? */
extern const char sql_policy_overall[]; /* how fast are all compilers and policies beside one? */
extern const char sql_policy_error[];   /* what does each policy change in errors and bits? */
extern const char sql_answer_kernels[]; /* which kernel is the fastest, by class of shapes? */
extern const char sql_answer_isa[];     /* what does the vector's width buy? */
extern const char sql_answer_bits[];    /* what do equal bits cost? */
extern const char sql_code_by_policy[]; /* what did the compilers do? */
extern const char sql_certificate[];    /* how far is the oracle itself from MPFR? */
extern const char sql_own_kernels[];    /* how do the user's own kernels do? */

#endif
