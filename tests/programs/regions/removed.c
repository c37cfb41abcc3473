/* With -DIOGLASS_NO_REGIONS nothing of this remains. */
#include <ioglass.h>

int main(void) {
    IOGLASS_REGION("a region");
    IOGLASS_FUNCTION();
    IOGLASS_ENTER("a region");
    IOGLASS_LEAVE("a region");
    static ioglass_site site = IOGLASS_SITE("");
    ioglass_enter_site(&site);
    ioglass_leave_site(&site);
    ioglass_execution();
    ioglass_snapshot();
    ioglass_stop(0);
    ioglass_attach(ioglass_here());
    ioglass_detach();
    if (ioglass_active()) ioglass_count("a metric", 1);
    return ioglass_flush();
}
