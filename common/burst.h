/* burst: what a processor can do at most, for times to be held against. Fused multiply-adds on
   registers alone, in enough independent chains that none waits for the one before it, and nothing
   to be fetched. */
#ifndef COMMON_BURST_H
#define COMMON_BURST_H

/* Some ten microseconds of it, and how many operations that is, two a multiply-add. */
void burst(void);
extern const double burst_operations;

#endif
