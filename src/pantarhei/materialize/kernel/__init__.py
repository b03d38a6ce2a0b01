"""The kernel: facts as rows of integers, closed under the rules of a program step by step.

Three parts are joined by composition, each an attribute:

    Store       store.py     `store`: what Python asks of the rows, and what changed
      Rows      rows.py      the facts, a row each; hash tables to find them, chains by subject and by object
    Levels      levels.py    `levels`: the lists of rows by level: partitions, and the queue
    Switches    switches.py  `forward`, `backward`: the plans to begin for a fact

The two window models are the ends of one chain of classes. Each class adds to the one above it:

    Matcher     matcher.py   the plans of a program, matched to the rows of `store`
    Proofs      proofs.py    violations of constraints, rule instances behind facts, matches of other bodies
      EveryKernel  every.py  the window model with each fact in all its interpretations
      Edges     edges.py     which rows are edges of transitive properties; it has `levels`
      Heads     heads.py     the heads of matched rules, entered some at a time; reading facts ahead
      Fixpoint  fixpoint.py  pops facts from the queue and derives what follows, until it is empty
      Renewal   renewal.py   the window as it slides; what was asserted again is renewed
      NewestKernel  newest.py  the window model with each fact in its newest interpretation

The store and the levels as parts, not base classes, cost less than 3 % of the CPU time of readings, slides,
repairs and batch. To measure such a change, run the two builds in turns, sample by sample, in several pairs
of processes: two processes of one build differ by up to 7 %.

The chain is one object because each match calls back from its innermost loop: `weigh` says whether a row may
be matched, `leaf` receives the match, and what they note (heads, edges, support) is read by the loop that
began the matching. A matcher by itself would need a reference back to its owner.

constants.py has the constants, cells.py the hash tables, arrays.py the arrays, radix.py sorts for loads by
column. "To pop" is said of the queue; `take_changes` and `take_violations` hand over what was noted, and
forget it.
"""
