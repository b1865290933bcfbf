// The compiler accepts a function without a body, such as a linked one, only beside a file of assembly.
