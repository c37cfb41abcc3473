# A first commit, as anybody makes it; no settings of the user matter.
export HOME=$PWD GIT_CONFIG_NOSYSTEM=1
cd project
git init --quiet
git add .
git -c user.name=nobody -c user.email=nobody@localhost commit --quiet --message first
git status
