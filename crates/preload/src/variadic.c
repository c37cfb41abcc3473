/* Makes a list of the arguments, which only C can, and hands it to the function that takes one. */

#include <stdarg.h>

#define HIDDEN __attribute__((visibility("hidden")))

#define FORWARD(last, call)                                                                        \
  {                                                                                                \
    va_list arguments;                                                                             \
    va_start(arguments, last);                                                                     \
    int result = call;                                                                             \
    va_end(arguments);                                                                             \
    return result;                                                                                 \
  }

/* void *stream or int fd; then the format. */
#define ON(name, list, where)                                                                      \
  HIDDEN int list(where on, const char *format, va_list arguments);                                \
  HIDDEN int name(where on, const char *format, ...)                                               \
  FORWARD(format, list(on, format, arguments))

/* The same with the flag of the checking variants. */
#define ON_CHECKED(name, list, where)                                                              \
  HIDDEN int list(where on, int flag, const char *format, va_list arguments);                      \
  HIDDEN int name(where on, int flag, const char *format, ...)                                     \
  FORWARD(format, list(on, flag, format, arguments))

/* On a standard stream. */
#define STANDARD(name, list)                                                                       \
  HIDDEN int list(const char *format, va_list arguments);                                          \
  HIDDEN int name(const char *format, ...)                                                         \
  FORWARD(format, list(format, arguments))

ON(ioglass_fprintf, ioglass_vfprintf, void *)
ON(ioglass_dprintf, ioglass_vdprintf, int)
ON(ioglass_fscanf, ioglass_vfscanf, void *)
ON(ioglass_isoc99_fscanf, ioglass_isoc99_vfscanf, void *)
ON(ioglass_isoc23_fscanf, ioglass_isoc23_vfscanf, void *)
ON_CHECKED(ioglass_fprintf_chk, ioglass_vfprintf_chk, void *)
ON_CHECKED(ioglass_dprintf_chk, ioglass_vdprintf_chk, int)
STANDARD(ioglass_printf, ioglass_vprintf)
STANDARD(ioglass_scanf, ioglass_vscanf)
STANDARD(ioglass_isoc99_scanf, ioglass_isoc99_vscanf)
STANDARD(ioglass_isoc23_scanf, ioglass_isoc23_vscanf)

HIDDEN int ioglass_vprintf_chk(int flag, const char *format, va_list arguments);
HIDDEN int ioglass_printf_chk(int flag, const char *format, ...)
FORWARD(format, ioglass_vprintf_chk(flag, format, arguments))
