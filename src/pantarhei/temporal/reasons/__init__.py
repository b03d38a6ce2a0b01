"""Why temporal rules conclude something: found when it is asked for, in what has been said."""
