my $part = '';
for my $record (@records) {
    $part .= $record;
    next if length($part) < {bytes};
    syswrite($fh, $part) // die "write: $!";  # $fh as it is open now; no print beside syswrite
    $part = '';
}
syswrite($fh, $part) // die "write: $!";
