// A library that defines nothing of interest: those who look for functions must get past it.
int bystander(void) { return 1; }
