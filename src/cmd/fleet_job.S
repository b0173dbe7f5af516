/* SPDX-License-Identifier: MIT */
/* scripts/fleet/job.sh, embedded: an installed program needs no source tree. fleet.c declares it. */
    .section .note.GNU-stack, "", @progbits
    .section .rodata
    .globl fleet_job, fleet_job_size
fleet_job:
    .incbin "scripts/fleet/job.sh"
    .set length, . - fleet_job
    .balign 8
fleet_job_size:
    .quad length
