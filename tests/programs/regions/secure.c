/* A kernel that says that the program has more rights than its user. */
unsigned long getauxval(unsigned long type) { return type == 23; }
