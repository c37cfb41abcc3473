open(my $fh, '>>', {path}) or die "open: $!";  # before the loop, not in it
for my $record (@records) {
    print {$fh} $record;
}
close($fh) or die "close: $!";
