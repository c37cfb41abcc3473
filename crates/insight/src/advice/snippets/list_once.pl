opendir(my $dir, $folder) or die "opendir: $!";  # once, not -e for each name
my %there = map { $_ => 1 } readdir($dir);
closedir($dir);
for my $name (grep { $there{$_} } @names) {
    use_data($name);
}
