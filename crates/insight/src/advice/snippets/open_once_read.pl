open(my $fh, '<:raw', {path}) or die "open: $!";  # before the loop, not in it
while (read($fh, my $record, $size)) {
    use_data($record);
}
close($fh);
