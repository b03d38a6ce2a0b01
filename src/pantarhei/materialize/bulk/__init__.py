"""The materialization of many facts at once, by column: for first loads and large ABoxes.

`columns` holds the facts of a predicate as sorted keys, `plans` matches rule bodies against them a column at
a time, `closure` goes on until nothing new follows. The kernel of rows takes over what they find.
`aboxes` closes many ABoxes at once in the same way, each by itself.
"""
