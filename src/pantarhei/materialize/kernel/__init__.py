"""Kernel: facts as rows of integers, closed incrementally under the rules of a program.

Parts are composed; both kernels of the window model have:

    Store          store.py          queries from Python, and changes of the rows
      Rows         rows.py           facts in rows, hash indexes and chains
    Matcher        matcher.py        join machine: matches a plan's body against the rows
    Triggers       triggers.py       selection of the plans to run for a fact
    Visitor        matcher.py        receiver of matches, one subclass for each purpose:
      DerivationVisitor     triggers.py       derives heads, records violations of constraints
      LineageWalk  lineage.py        records the rule instances that support facts
      BodyMatches  body_matches.py   records matches of bodies outside the program (bags.py makes rows of
                                     them for registered queries)
    WindowKernel   window_kernel.py  composition of these

`NewestKernel` (newest.py), each fact in its newest interpretation, adds:

    Levels         levels.py         lists of rows by level: partitions, and the queue
    Edges          edges.py          edges of transitive properties
    HeadBuffer          fixpoint.py       heads of matched rules, inserted in blocks with prefetching
    Fixpoint       fixpoint.py       visitor that derives: takes facts from the queue until it is empty
    Retraction     retraction.py     visitor that overdeletes, and rederivation
      Support      retraction.py     visitor that searches for other support

`EveryKernel` (every.py), each fact in every interpretation, adds:

    LevelSets      level_sets.py     sets of levels that hold, assert and lose a row
    AttachmentVisitor, RederivationVisitor, OverdeletionVisitor  every.py  its visitors

Repairs use `HornProgram` (horn.py), `Decision` (decision.py) and `Residue` (residue.py). Temporal rules use
`FactSelection` (fact_selection.py), `Runs` (runs.py), `AntiJoin` (anti_join.py) and `ChangeDispatch`
(change_dispatch.py); registered queries `bags.py` and `groups.py`. constants.py has constants, cells.py hash
tables, arrays.py arrays and sorting.

Visitors cost less than 3 % of the CPU time of readings, slides and repairs. To measure such a change, run the
two builds in turns, sample by sample, in several pairs of processes: two processes of one build differ by up
to 7 %. A visitor is passed down as an argument: code that has released the GIL cannot store an object.
"""
