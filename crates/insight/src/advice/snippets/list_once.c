DIR *dir = opendir(folder);  // #include <dirent.h>; once, not stat() for each name
for (struct dirent *entry; dir && (entry = readdir(dir));)
    remember(entry->d_name);
if (dir)
    closedir(dir);
