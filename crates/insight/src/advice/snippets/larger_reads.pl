open(my $fh, '<:raw', {path}) or die "open: $!";
while (sysread($fh, my $block, {bytes})) {  # no <$fh> beside sysread
    use_data($block);
}
close($fh);
