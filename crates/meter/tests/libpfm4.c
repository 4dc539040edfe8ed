/* Reads full names of events, one a line, and says what libpfm4 encodes them as: `0 CODE...` in hexadecimal, or the
 * number of its error alone. Units that this machine lacks are encoded too. */
#include <perfmon/pfmlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char name[1024];
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (pfm_initialize() != PFM_SUCCESS) {
        return 1;
    }
    while (fgets(name, sizeof name, stdin)) {
        uint64_t *codes = NULL;
        int count = 0;
        name[strcspn(name, "\n")] = 0;
        pfm_err_t error = pfm_get_event_encoding(name, PFM_PLM0 | PFM_PLM3, NULL, NULL, &codes, &count);
        printf("%d", error);
        for (int i = 0; error == PFM_SUCCESS && i < count; i++) {
            printf(" %llx", (unsigned long long)codes[i]);
        }
        printf("\n");
        free(codes);
    }
    return 0;
}
