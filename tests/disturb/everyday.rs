//! Commands that every machine has.

use std::path::Path;
use std::process::Command;

use super::compare::case;
use crate::support::missing;

#[test]
fn copying_and_moving() {
    case("cp", "cp -a tree copy; cp --sparse=always noise sparse; cp -v words numbers tree; cp nowhere x || true").same();
    case("mv", "mv -v words tree/; mv tree/inner inner; mv -n noise numbers").same();
    case(
        "install",
        "install -v -m 751 -D words deep/er/words; install -d -m 700 made; install noise made",
    )
    .same();
    case("links", "ln words hard; ln -s words soft; ln -sf numbers soft; readlink -f soft; cat hard | wc -c; unlink hard").same();
    case("truncate", "truncate -s 10 words; truncate -s +5000 numbers; truncate -s 1M fresh; truncate -r words noise").same();
    case("rm", "chmod u+w tree/inner/data; rm -rv tree words | sort; rmdir made 2>&1 || mkdir -pv made/more").same();
}

#[test]
fn contents() {
    case("cat", "cat words numbers > both; cat < words | cat -A | head -5; cat nowhere; true")
        .same();
    case("sort", "sort -n numbers > sorted; sort -u -S 64k --parallel=2 words -o words; sort -c words && sort -R --random-source=noise numbers | head").same();
    case("split", "split -b 7000 noise part-; split -l 300 -d words line-; split -n 3 numbers n-")
        .same();
    case("dd", "dd if=noise of=out bs=777 count=100 skip=3 seek=5 conv=notrunc status=none; dd if=words bs=1k 2>/dev/null | md5sum; dd if=noise of=synced bs=64k conv=fsync status=none").same();
    case("tee", "tee one two < words | tail -3; echo more | tee -a one").same();
    case("head-and-tail", "head -c 1000 noise | md5sum; head -n -10 words > a; tail -n +1990 words; tail -c 100 noise | md5sum; tac words | head -3").same();
    case("sums", "md5sum noise words numbers tree/inner/*; sha256sum noise > sums; sha256sum -c sums; cksum words; b2sum empty").same();
    case("comm", "sort words > a; sort words | head -1000 > b; comm -13 b a | wc -l; join a b | wc -l; paste a b | cut -c1-20 | uniq | head -3; diff a b | md5sum; cmp a b; true").same();
    case("shuf", "shuf --random-source=noise words | md5sum; shuf -i 1-100 -n 5 --random-source=noise; tr a-z A-Z < words | fold -w 7 | nl | tail -2; od -c noise | head -3; base64 noise | tail -1").same();
}

#[test]
fn names_and_folders() {
    case("ls", "ls -lR --time-style=+%s tree; ls -la --time-style=+ noise words; ls nowhere")
        .fails_with(2)
        .same();
    case("du", "du -ab --apparent-size tree | sort; stat -c '%n %s %a %F' * tree/*").same();
    case("find", "find . -type f -size +1k -printf '%p %s %m\\n' | sort; find tree -name '*a*' -exec md5sum {} + | sort; find . -print0 | sort -z | xargs -0 -n 2 -P 4 true").same();
    case("xargs", "ls -1 noise words numbers | xargs -n 1 wc -c; seq 100 | xargs -P 1 -n 7 echo | xargs -I{} sh -c 'echo {} | wc -w' | sort | uniq -c").same();
    case("touch", "touch -d @1 words; stat -c %Y words; touch -a numbers fresh; touch /proc/nowhere/x; chmod 4711 fresh; stat -c %a fresh").same();
}

#[test]
fn archives() {
    case("tar", "tar --sort=name -cf all.tar tree words; mkdir out; tar -C out -xpf all.tar; tar -tvf all.tar | cut -c1-30; tar -df all.tar").same();
    case("tar-gzip", "tar --sort=name -czf all.tgz tree; mkdir out; tar -C out -xzf all.tgz; zcat all.tgz | md5sum").same();
    case("gzip", "gzip -kn words; gzip -9n noise; gunzip noise.gz; gzip -t words.gz; zcat words.gz | cmp - words; gzip -l words.gz | wc -l").same();
    case("xz", "xz -k words; xz -dc words.xz | cmp - words; xz -T2 -0 noise; xz -l noise.xz | tail -1 | wc -w").same();
}

#[test]
fn compiling() {
    case("gcc", r#"
        printf '#include <stdio.h>\nint main(void){FILE*f=fopen("made","w");fputs("x",f);puts("hello");return 5;}' > a.c
        gcc -O2 -pipe -o a a.c && ./a; echo $?
        gcc -c -save-temps a.c && ar rc liba.a a.o 2>/dev/null; nm a.o
        echo 'int x = ;' > b.c; gcc -c b.c; echo $?"#).same();
    case("g++", r#"
        printf '#include <iostream>\n#include <vector>\nint main(){std::vector<int> v{1,2,3};for(int i:v)std::cout<<i<<std::endl;}' > a.cpp
        g++ -O1 -o a a.cpp && ./a"#).same();
    case("make", r#"
        {
            echo 'all: $(patsubst %,made-%,1 2 3 4 5 6 7 8 9 10 11 12)'
            printf 'made-%%: words\n\t@sed -n "$*,100p" words > $@; cat $@ numbers | sort > $@.sorted\n'
            printf 'fails:\n\t@exit 3\n'
        } > Makefile
        make -s -j4 && make -j4 && make fails; echo $?"#).same();
}

#[test]
fn git() {
    case("git", r#"
        export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'
        export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
        git init -q -b main . && git config user.name n && git config user.email e@example.org
        git add . && git commit -q -m first && git log --stat
        echo more >> words && git status --short && git diff && git commit -qam second
        git checkout -q -b side HEAD~1 && echo other > other && git add other && git commit -qm third
        git merge -q -m merged main && git log --graph --oneline
        git gc -q && git fsck --full 2>&1 && git count-objects -v | grep -v size
        git clone -q . clone 2>&1 && git -C clone rev-parse HEAD && git ls-files -s
        git archive HEAD | md5sum
        # What remains has times and inode numbers in it.
        rm -rf .git clone"#).same();
}

#[test]
fn text_tools() {
    case("awk", r#"awk '{n[$4]++; print > ("out-" $4 % 3)} END {for (k in n) print k, n[k] | "sort"; close("sort")}' words; awk 'BEGIN{while ((getline line < "numbers") > 0) s += line; print s; system("echo sub"); print "x" > "/dev/stderr"}'"#).same();
    case("sed", r"sed -i.bak 's/line/LINE/' words; sed -n '5p;7w seven' words; sed --follow-symlinks -i 1d tree/link; sed 5q numbers; sed -n \$= noise").same();
    case("grep", "grep -c 'of 3' words; grep -rn blank tree; grep -q nothing words; echo $?; grep -lz x noise words").same();
}

#[test]
fn other_tools() {
    if Command::new("strace").arg("-V").output().is_err() {
        return missing("a traced program", Path::new("strace"));
    }
    case("strace", "strace -f -e trace=none -o /dev/null sh -c 'cat words | md5sum; exit 6'")
        .fails_with(6)
        .same();
    case("nice", "nice -n 5 timeout 10 env -u HOME setsid -w cat empty; nohup echo hi 2>/dev/null; stdbuf -o0 echo unbuffered").same();
}
