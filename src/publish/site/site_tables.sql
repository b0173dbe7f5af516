-- SPDX-License-Identifier: MIT
-- The index of a site. run: the place of the run that fills the page.
CREATE TEMP TABLE site_runs(place INTEGER PRIMARY KEY, slug TEXT, cpu TEXT, started TEXT, version TEXT, "commit" TEXT,
  mode TEXT);
CREATE TEMP TABLE pages(place INTEGER PRIMARY KEY, run INTEGER, slug TEXT, op TEXT, variants INTEGER, algorithm TEXT,
  isa TEXT, cc TEXT, policy TEXT, ns REAL, low REAL, high REAL, percent REAL, error TEXT, unit TEXT, UNIQUE(slug, op));
CREATE TEMP TABLE topics(topic INTEGER, slug TEXT);
CREATE TEMP TABLE others(file TEXT, title TEXT);
