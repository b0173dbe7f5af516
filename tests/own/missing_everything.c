// SPDX-License-Identifier: MIT
/* Nothing. Status: unbuilt */
