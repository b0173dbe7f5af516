// SPDX-License-Identifier: MIT
/* An empty file. Status: unbuilt */
