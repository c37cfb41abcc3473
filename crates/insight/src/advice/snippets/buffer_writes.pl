use IO::Handle;
$fh->autoflush(0);        # $fh as it is open now; no $| = 1 for it
for my $record (@records) {
    print {$fh} $record;  # not syswrite: print gathers 8 KiB
}
