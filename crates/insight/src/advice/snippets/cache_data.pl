open(my $fh, '<:raw', {path}) or die "open: $!";  # before the loop that uses it again and again
my $whole = do { local $/; <$fh> };
close($fh);
for my $epoch (1 .. $epochs) {
    use_data($whole);
}
