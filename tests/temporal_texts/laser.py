"""Rules in Laser's notation, each with its canonical equivalent."""

LASER = [
    # windows of time with a diamond, a box, an @
    ("q(X) :- time_win(5, 0, 1, diamond(p(X))).", "q(X) :- p(X) in [5]."),
    ("q(X) :- time_win(5,0,1,box(p(X))).", "q(X) :- p(X) always in [5]."),
    ("q(X) :- time_win(5,0,1,@(T,p(X))).", "q(X) :- p(X) at T in [5]."),
    ("q(X,Y) :- time_win(0,0,1,diamond(p(X,Y))).", "q(X, Y) :- p(X, Y) in [0]."),
    ("q :- time_win(1,0,1,diamond(p)).", "q :- p in [1]."),
    ("q(X) :- time_win(100000,0,1,diamond(p(X))).", "q(X) :- p(X) in [100000]."),
    ("q(X) :- time_win(7, diamond(p(X))).", "q(X) :- p(X) in [7]."),
    ("q(X) :- time_win(7, 0, box(p(X))).", "q(X) :- p(X) always in [7]."),
    ("q(X,T) :- time_win(9,0,1,@(T,p(X))).", "q(X, T) :- p(X) at T in [9]."),
    ("q(X) :- time_win(9,0,1,@(12,p(X))).", "q(X) :- p(X) at 12 in [9]."),
    ("q(X) :- time_win(9,0,1,p(X)).", "q(X) :- p(X)."),
    ("q(X) :- time_win(9,0,1,(diamond((p(X))))).", "q(X) :- p(X) in [9]."),
    # windows of tuples
    ("q(X) :- tuple_win(3, diamond(p(X))).", "q(X) :- p(X) in [3 #]."),
    ("q(X) :- tuple_win(3,0,1,diamond(p(X))).", "q(X) :- p(X) in [3 #]."),
    ("q(X) :- tuple_win(12,box(p(X))).", "q(X) :- p(X) always in [12 #]."),
    ("q(X) :- tuple_win(1,@(T,p(X))).", "q(X) :- p(X) at T in [1 #]."),
    ("q(X) :- not(tuple_win(3,diamond(p(X)))) and r(X).", "q(X) :- not p(X) in [3 #], r(X)."),
    # heads
    ("@(T,q(X)) :- time_win(5,0,1,@(T,p(X))).", "q(X) at T :- p(X) at T in [5]."),
    ("@(T,q(X)) :- time_win(5,0,1,@(T,p(X))) and r(X).", "q(X) at T :- p(X) at T in [5], r(X)."),
    ("@(3,q) :- p.", "q at 3 :- p."),
    ("@(T,q) :- p(T).", "q at T :- p(T)."),
    ("@(T + 1,q(X)) :- time_win(5,0,1,@(T,p(X))).", "q(X) at _1 :- p(X) at T in [5], _1 = T + 1."),
    ("q(a).", "q(a)."),
    ("q(a, 3).", "q(a, 3)."),
    ("@(4,q(a)).", "q(a) at 4."),
    # joins
    ("q(X,Z) :- p(X,Y) and r(Y,Z).", "q(X, Z) :- p(X, Y), r(Y, Z)."),
    (
        "q(X,Z) :- time_win(3,0,1,diamond(p(X,Y))) and time_win(3,0,1,diamond(r(Y,Z))).",
        "q(X, Z) :- p(X, Y) in [3], r(Y, Z) in [3].",
    ),
    (
        "q(X,Z) :- time_win(3,0,1,diamond(p(X,Y))) and time_win(5,0,1,box(r(Y,Z))).",
        "q(X, Z) :- p(X, Y) in [3], r(Y, Z) always in [5].",
    ),
    (
        "q(X,Y) :- time_win(9,0,1,@(T,p(X))) and time_win(9,0,1,@(T,r(Y))).",
        "q(X, Y) :- p(X) at T in [9], r(Y) at T in [9].",
    ),
    ("q(X) :- p(X) and r(X) and s(X) and t(X).", "q(X) :- p(X), r(X), s(X), t(X)."),
    (
        "q(X) :- time_win(2,0,1,diamond(p(X))) and tuple_win(2,diamond(r(X))).",
        "q(X) :- p(X) in [2], r(X) in [2 #].",
    ),
    ("q(X,Y) :- p(X) and @(T,r(Y)) and s(T).", "q(X, Y) :- p(X), r(Y) at T, s(T)."),
    # chains and recursion
    ("path(X,Y) :- time_win(4,0,1,diamond(link(X,Y))).", "path(X, Y) :- link(X, Y) in [4]."),
    (
        "path(X,Z) :- path(X,Y) and time_win(4,0,1,diamond(link(Y,Z))).",
        "path(X, Z) :- path(X, Y), link(Y, Z) in [4].",
    ),
    ("@(T,on) :- time_win(3,0,1,@(T,on)) and up(T).", "on at T :- on at T in [3], up(T)."),
    # negation
    ("q(X) :- p(X) and not(r(X)).", "q(X) :- p(X), not r(X)."),
    ("q(X) :- p(X) and not(time_win(3,0,1,diamond(r(X)))).", "q(X) :- p(X), not r(X) in [3]."),
    ("q(X) :- p(X) and not(time_win(3,0,1,box(r(X)))).", "q(X) :- p(X), not r(X) always in [3]."),
    ("q(X) :- p(X) and time_win(3,0,1,not(diamond(r(X)))).", "q(X) :- p(X), not r(X) in [3]."),
    ("q(X) :- p(X) and time_win(3,0,1,diamond(not(r(X)))).", "q(X) :- p(X), not r(X) always in [3]."),
    ("q(X) :- p(X) and time_win(3,0,1,box(not(r(X)))).", "q(X) :- p(X), not r(X) in [3]."),
    ("q(X) :- not(time_win(3,0,1,diamond(not(p(X))))).", "q(X) :- p(X) always in [3]."),
    ("q(X) :- not(time_win(3,0,1,box(not(p(X))))).", "q(X) :- p(X) in [3]."),
    ("q(X) :- not(not(p(X))).", "q(X) :- p(X)."),
    ("q :- p and not(r) and not(s).", "q :- p, not r, not s."),
    (
        "q(X,T) :- time_win(3,0,1,@(T,p(X))) and not(@(T,r(X))).",
        "q(X, T) :- p(X) at T in [3], not r(X) at T.",
    ),
    (
        "q(X) :- time_win(3,0,1,@(T,p(X))) and time_win(3,0,1,not(@(T,r(X)))).",
        "q(X) :- p(X) at T in [3], not r(X) at T in [3].",
    ),
    ("q(X) :- p(X) and not(tuple_win(4,box(r(X)))).", "q(X) :- p(X), not r(X) always in [4 #]."),
    # comparisons
    ("q(X) :- p(X,Y) and COMP(<,Y,5).", "q(X) :- p(X, Y), Y < 5."),
    ("q(X) :- p(X,Y) and COMP(>, Y, 5).", "q(X) :- p(X, Y), Y > 5."),
    ("q(X) :- p(X,Y) and COMP(<=,Y,X).", "q(X) :- p(X, Y), Y <= X."),
    ("q(X) :- p(X,Y) and COMP(>=,Y,1.5).", "q(X) :- p(X, Y), Y >= 1.5."),
    ("q(X) :- p(X,Y) and COMP(=,Y,X).", "q(X) :- p(X, Y), Y = X."),
    ("q(X) :- p(X,Y) and COMP(!=,Y,X).", "q(X) :- p(X, Y), Y != X."),
    ("q(X) :- COMP(<,0,Y) and p(X,Y).", "q(X) :- p(X, Y), 0 < Y."),
    ('q(X) :- p(X,Y) and COMP(=,Y,"open").', 'q(X) :- p(X, Y), Y = "open".'),
    (
        "q(X) :- time_win(3,0,1,@(T,p(X))) and time_win(3,0,1,@(U,r(X))) and COMP(<,T,U).",
        "q(X) :- p(X) at T in [3], r(X) at U in [3], T < U.",
    ),
    # arithmetic
    ("q(X,Z) :- p(X,Y) and MATH(+,Z,Y,1).", "q(X, Z) :- p(X, Y), Z = Y + 1."),
    ("q(X,Z) :- p(X,Y) and MATH(-,Z,Y,X).", "q(X, Z) :- p(X, Y), Z = Y - X."),
    ("q(X,Z) :- p(X,Y) and MATH(*,Z,Y,-2).", "q(X, Z) :- p(X, Y), Z = Y * -2."),
    ("q(X,Z) :- p(X,Y) and MATH(/,Z,Y,2).", "q(X, Z) :- p(X, Y), Z = Y / 2."),
    ("q(X,Z) :- p(X,Y) and MATH(^,Z,Y,2).", "q(X, Z) :- p(X, Y), Z = Y ^ 2."),
    ("q(X,Z) :- p(X,Y) and MATH(mod,Z,Y,2).", "q(X, Z) :- p(X, Y), Z = Y mod 2."),
    (
        "q(X) :- p(X,Y) and MATH(+,Z,Y,1) and MATH(*,U,Z,2) and COMP(<,U,10).",
        "q(X) :- p(X, Y), Z = Y + 1, U = Z * 2, U < 10.",
    ),
    (
        "@(U,q(X)) :- time_win(5,0,1,@(T,p(X))) and MATH(+,U,T,2).",
        "q(X) at U :- p(X) at T in [5], U = T + 2.",
    ),
    # names
    ("'high temp'(X) :- p(X).", None),
    ("'hot'(X) :- 'Sensor'(X).", "hot(X) :- Sensor(X)."),
    ("q(X) :- p(X,'Bob').", "q(X) :- p(X, Bob)."),
    ("q(X) :- p(X,_).", "q(X) :- p(X, _1)."),
    ("q(X) :- p(_,X) and r(_,X).", "q(X) :- p(_1, X), r(_2, X)."),
    ("q(_x) :- p(_x).", "q(_x) :- p(_x)."),
    ("q(X) :- p(X,<http://example.org/a>).", "q(X) :- p(X, a)."),
    # notation
    ("q(X):-time_win(2,0,1,diamond(p(X)))and r(X).", "q(X) :- p(X) in [2], r(X)."),
    ("q(X)\n  :-\n  p(X)\n  and\n  r(X)\n  .", "q(X) :- p(X), r(X)."),
    ("q(X) <- p(X). // why", "q(X) :- p(X)."),
    ("q(X) :- time_win(3,1,1,diamond(p(X))).", None),
    ("q(X) :- time_win(3,0,2,diamond(p(X))).", None),
]
"""The text of a rule, and the same in the canonical notation; None for what is refused."""
