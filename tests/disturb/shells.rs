//! Shells juggle descriptors like nobody else.

use super::compare::case;

#[test]
fn redirections() {
    case(
        "heredocs",
        r#"
cat <<END > here
one $((1+1))
END
cat <<'END' >> here
$raw
END
cat <<< "a string"; read -r x < here; echo "$x""#,
    )
    .same();
    case(
        "descriptors",
        r#"
        exec 3<>both 4>four 5<words 10>&1
        echo first >&3; echo fourth >&4; read -r a <&5; read -r b <&5; echo "$a|$b" >&10
        exec 6<&5 5<&-; read -r c <&6; echo "$c"
        { echo out; echo err >&2; } 2>&1 1>&4 | sed 's/^/piped: /'
        exec 4>&-; echo lost >&4; echo "status $?"
        exec 20>twenty; echo x >&20; exec 21>&20-; echo y >&21; cat twenty
        ls -l /proc/self/fd | wc -l; for fd in /proc/$$/fd/*; do echo -n ${fd##*/}' '; done"#,
    )
    .same();
    case("append-and-clobber", r#"set -C; echo a > new; echo b > new; echo $?; echo c >| new; echo d >> new; cat new; : > words; echo x &> both; wc -c words"#).same();
    case("swapped", r#"f() { echo out; echo err >&2; }; f 3>&1 1>&2 2>&3 | sed 's/^/now out: /'; f >/dev/null 2>log; cat log"#).same();
}

#[test]
fn pipes_and_children() {
    case("pipes", r#"cat words | sort | uniq -c | sort -rn | head -3; yes | head -1000 | wc -l; echo ${PIPESTATUS[@]}; set -o pipefail; false | true; echo $?; seq 3 | while read i; do echo $i > loop-$i; done"#).same();
    case("substitution", r#"diff <(sort words) <(sort -r words | sort) && echo same; tee >(wc -c > counted) < words > /dev/null; sleep 0.2; x=$(cat numbers | head -2); echo $x; y=$(<words); echo ${#y}"#).same();
    case("jobs", r#"for i in 1 2 3 4; do (echo $i; exit $i) > job-$i & ids+=($!); done; for id in ${ids[@]}; do wait $id; echo $?; done; coproc cat; echo hi >&${COPROC[1]}; read -r l <&${COPROC[0]}; echo $l; kill $COPROC_PID; wait 2>/dev/null; echo done"#).same();
    case("traps", r#"trap 'echo exit > at-exit; echo bye' EXIT; trap 'echo usr1' USR1; kill -USR1 $$; { (kill -9 $BASHPID); echo $?; sh -c 'kill -SEGV $$'; echo $?; } 2>/dev/null; mkfifo pipe; cat pipe > from & echo through > pipe; wait; cat from; rm pipe; exit 9"#).fails_with(9).same();
    case("missing", "nonexistent-command; echo $?; ./words; echo $?; cat < nowhere; echo $?; cd /nonexistent; exec ./tree").fails_with(126).same();
    case("dash", r#"sh "$PROGRAMS/descriptors.sh""#).same();
}
