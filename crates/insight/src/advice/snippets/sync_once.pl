use IO::Handle;
for my $record (@records) {
    print {$fh} $record;  # no flush, no sync here
}
$fh->flush;
$fh->sync;                # once, when the checkpoint is complete
