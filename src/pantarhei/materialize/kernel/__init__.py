"""Kernel: facts as rows of integers, materialized incrementally under the rules of a program.

The kernel is composed of small classes. Both kernels of the window model (`WindowKernel`) have:

    Store          store.py          queries from Python, and operations over all rows
      Rows         rows.py           facts in rows, hash indexes and chains
    Matcher        matcher.py        join machine: matches the body of a plan against the rows
    Triggers       triggers.py       selection of the plans to run for a fact
    Visitor        matcher.py        receiver of matches, with a subclass for each use:
      DerivationVisitor  triggers.py  derives heads, records violations of constraints
      LineageWalk  lineage.py        records the rule instances that support facts
      BodyMatches  body_matches.py   records matches of bodies outside the program (bags.py converts
                                     them to rows of registered queries)
    WindowKernel   window_kernel.py  composition of these classes

`NewestKernel` (newest.py) stores each fact in its newest interpretation only. It adds:

    Levels         levels.py         lists of rows by level: partitions, and the queue
    Edges          edges.py          edges of transitive properties
    HeadBuffer     fixpoint.py       derived heads, inserted in blocks with prefetching
    Fixpoint       fixpoint.py       visitor that derives: takes facts from the queue until it is empty
    Retraction     retraction.py     visitor that overdeletes, and rederivation
      Support      retraction.py     visitor that searches for alternative derivations

`EveryKernel` (every.py) stores each fact in every interpretation. It adds:

    LevelSets      level_sets.py     for each row the sets of levels that hold, assert and lose it
    AttachmentVisitor, RederivationVisitor, OverdeletionVisitor  every.py  its visitors

Repairs use `HornProgram` (horn.py), `Decision` (decision.py) and `Residue` (residue.py). Temporal rules use
`FactSelection` (fact_selection.py), `Runs` (runs.py), `AntiJoin` (anti_join.py) and `ChangeDispatch`
(change_dispatch.py). Registered queries use bags.py and groups.py. constants.py has the constants, cells.py
the hash tables, arrays.py growable arrays and sorting.

The indirection of visitors costs less than 3 % of the CPU time of pushes, slides and repairs. To measure such
a change, run both builds alternately in several pairs of processes: two processes of one build differ by up
to 7 %. A visitor is passed down as an argument, since code that has released the GIL cannot store an object.
"""
