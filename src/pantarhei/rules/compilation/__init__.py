"""Rules to the program that the kernel's join machine runs."""
