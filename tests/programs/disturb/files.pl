# Files, a child, a pipe and an exec.
use strict;
open my $made, ">", "made" or die;
print $made "x" x 100000;
close $made;
open my $nowhere, "<", "nowhere" or print "$!\n";
print -s "made", "\n";
my $child = fork;
if (!$child) {
    open my $more, ">>", "made";
    print $more "child";
    exit 3;
}
waitpid $child, 0;
print $? >> 8, "\n";
print `cat empty; echo from a child`;
opendir my $tree, "tree";
print join(",", sort readdir $tree), "\n";
open my $pipe, "|-", "sort -n | head -3" or die;
print $pipe "$_\n" for 9, 8, 7, 6;
close $pipe;
truncate "words", 10;
$| = 1;
print "before exec\n";
exec "tail", "-c", "5", "made";
