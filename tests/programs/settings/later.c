// Files that are opened by asynchronous calls, and a transfer of two datasets. There is no header for the
// library that h5py brings, so what is used of it is declared here. Prints alignments and chunks.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef int64_t hid_t;
typedef uint64_t hsize_t;

extern hid_t H5T_NATIVE_INT_g;
int H5open(void);
hid_t H5EScreate(void);
int H5ESwait(hid_t, uint64_t, size_t *, int *);
int H5ESclose(hid_t);
hid_t H5Fcreate_async(const char *, const char *, unsigned, const char *, unsigned, hid_t, hid_t, hid_t);
hid_t H5Fopen_async(const char *, const char *, unsigned, const char *, unsigned, hid_t, hid_t);
hid_t H5Fget_access_plist(hid_t);
int H5Pget_alignment(hid_t, hsize_t *, hsize_t *);
int H5Pclose(hid_t);
hid_t H5Screate_simple(int, const hsize_t *, const hsize_t *);
hid_t H5Dcreate_async(const char *, const char *, unsigned, hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t, hid_t);
hid_t H5Dget_create_plist(hid_t);
int H5Pget_layout(hid_t);
int H5Dwrite_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, const void **);
int H5Dread_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, void **);
int H5Dclose(hid_t);
int H5Fclose(hid_t);

#define HERE __FILE__, __func__, __LINE__

static void show(const char *name, hid_t file) {
    hid_t list = H5Fget_access_plist(file);
    hsize_t threshold, boundary;
    assert(H5Pget_alignment(list, &threshold, &boundary) >= 0);
    printf("%s alignment %d,%d\n", name, (int)threshold, (int)boundary);
    H5Pclose(list);
}

int main(void) {
    assert(H5open() >= 0);
    hid_t file = H5Fcreate_async(HERE, "none.h5", 2, 0, 0, 0), events = H5EScreate();
    assert(file >= 0);
    show("none", file);
    hid_t later = H5Fcreate_async(HERE, "events.h5", 2, 0, 0, events);
    size_t left;
    int failed;
    assert(later >= 0 && H5ESwait(events, UINT64_MAX, &left, &failed) >= 0 && !failed);
    show("events", later);

    int data[2][8] = {{1, 2}, {3}}, back[2][8] = {{0}};
    hsize_t size = 8;
    hid_t integer = H5T_NATIVE_INT_g, space = H5Screate_simple(1, &size, NULL), sets[2];
    const char *names[] = {"one", "two"};
    for (int i = 0; i < 2; i++) {
        sets[i] = H5Dcreate_async(HERE, file, names[i], integer, space, 0, 0, 0, 0);
        hid_t list = H5Dget_create_plist(sets[i]);
        printf("%s layout %d\n", names[i], H5Pget_layout(list));
        H5Pclose(list);
    }
    hid_t types[2] = {integer, integer}, all[2] = {0, 0};
    const void *from[2] = {data[0], data[1]};
    void *to[2] = {back[0], back[1]};
    assert(H5Dwrite_multi(2, sets, types, all, all, 0, from) >= 0);
    assert(H5Dread_multi(2, sets, types, all, all, 0, to) >= 0);
    printf("data %d %d %d\n", back[0][0], back[0][1], back[1][0]);
    assert(H5Dclose(sets[0]) >= 0 && H5Dclose(sets[1]) >= 0 && H5Fclose(file) >= 0);
    assert(H5Fclose(later) >= 0 && H5ESclose(events) >= 0);
    file = H5Fopen_async(HERE, "none.h5", 0, 0, 0);
    show("opened", file);
    return H5Fclose(file);
}
