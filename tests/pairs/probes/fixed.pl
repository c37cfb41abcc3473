# Lists the directory once and looks names up in memory.
use strict;
use warnings;

my $names = int(600_000 / ($ENV{PAIR_SCALE} // 1));
opendir(my $directory, "cache") or die "cache: $!";
my %there = map { $_ => 1 } readdir $directory;
my $found = 0;
for my $i (0 .. $names - 1) {
    $found++ if $there{"item-$i"};
}
print "$found\n";
