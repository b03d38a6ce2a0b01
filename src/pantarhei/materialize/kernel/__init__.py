"""The kernel: facts as rows of integers, closed under the rules of a program step by step.

Its parts are joined by composition; each module has one of them. What both window models have:

    Store         store.py         the rows: what Python asks of them, and what changed
      Rows        rows.py          the facts, a row each; hash tables to find them, chains to walk
    Matcher       matcher.py       the join machine: a plan's body matched to the rows
    Triggers      triggers.py      the plans of a program that a fact triggers (triggers.py: by which keys)
    Visitor       matcher.py       who is told of matches; each purpose of matching is one:
      Deriving      triggers.py      derives heads, notes violations of constraints
      LineageWalk   lineage.py       records the rule instances behind facts
      BodyMatches   body_matches.py  records what matches bodies that the program does not have (cells.py: by
                                     which keys their plans are found; bags.py: makes rows of them for those
                                     who read them)
    WindowKernel  window_kernel.py  all of these together

Each fact in its newest interpretation (`NewestKernel`, newest.py) adds:

    Levels        levels.py        the lists of rows by level: partitions, and the queue
    Edges         edges.py         which rows are edges of transitive properties
    Heads         fixpoint.py         the heads of matched rules, entered some at a time; reading facts ahead
    Fixpoint      fixpoint.py      the visitor that derives: pops facts from the queue until it is empty
    Retraction    retraction.py    the visitor that overdeletes, and derivation of what has other support
      Support     retraction.py       the visitor that looks for other support

Each fact in every interpretation (`EveryKernel`, every.py) adds:

    LevelSets     level_sets.py    the sets of levels that hold, assert and lose a row
    Attaching, AttachingAgain, Losing  every.py  its visitors

The parts cost less than 3 % of the CPU time of readings, slides and repairs. To measure such a change, run
the two builds in turns, sample by sample, in several pairs of processes: two processes of one build differ by
up to 7 %. A visitor is handed down as an argument: code that has released the GIL cannot store an object.

What goes on around the kernel of temporal rules, for each fact that comes or changes:

    Selecting     selecting.py     what follows from events one by one
    Runs          runs.py          since when facts have been there at each tick
    Guarding      guarding.py      what is asked for and not denied
    Watching      watching.py      who is told of which changes

constants.py has the constants, cells.py the hash tables, arrays.py the arrays, arrays.py sorts for loads by
column, groups.py and groups.py are what registered aggregates do for each group. "To pop" is said of the
queue; `take_changes` and `take_violations` hand over what was noted, and forget it.
"""
