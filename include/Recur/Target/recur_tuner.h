// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- recur_tuner.h - does a call gain by threads? -------------*- C -*-===//
//
// A second thread can cost more than it gives: if the CPUs are far from each other, if another program has one of
// them, or if the work is small. A program that calls an instance again and again can find that out. A recur_tuner
// stands between the model and the gang of recur_config, and calls the gang in one of three ways: for all work that
// wants it, for large work only, or never. It times the calls, tries the other ways now and then, and keeps the
// fastest one. The results of a call do not depend on the way.
//
//   recur_tuner tuner;
//   recur_tuner_init(&tuner, run_on_threads, &pool, nanoseconds_now);
//   config.gang = recur_tuner_gang;
//   config.gang_ctx = &tuner;                  // before NAME_init
//   ...
//   recur_tuner_begin(&tuner, 0);
//   status = NAME_run(...);
//   recur_tuner_end(&tuner);
//
// C99 and C++. Include the header of a model first. A tuner serves one call at a time, so an instance that several
// threads call at once must not have one. recur::Model (recur.hpp) has one.
//
//===----------------------------------------------------------------------===//
#ifndef RECUR_TUNER_H
#define RECUR_TUNER_H

#ifdef __cplusplus
#define RECUR_TUNER_INLINE inline
#else
#define RECUR_TUNER_INLINE static inline
#endif

// C99 has no nullptr, and a cast of C++ is none of C. NOLINTBEGIN(modernize-*)

/// The ways, and what they cost: calls of the fastest way until another one is tried, and calls of a try.
enum { recur_tuner_ways = 3, recur_tuner_least_calls = 16, recur_tuner_most_calls = 1024, recur_tuner_try_calls = 3 };

typedef struct recur_tuner {
  void (*gang)(void *gang_ctx, int32_t want, recur_body body, void *arg);
  void *gang_ctx;
  uint64_t (*clock)(void); /* nanoseconds */
  uint64_t work;           /* what the caller said of the last call */
  uint64_t began;          /* 0: the call is not timed */
  uint64_t usual;          /* the time of the fastest way when it was chosen, 0 if it is not known */
  uint64_t times[recur_tuner_ways];
  uint32_t left;  /* the calls until a try begins, or until it ends */
  uint32_t calls; /* the calls between tries: more, the longer the way has been the fastest one */
  uint8_t way;    /* the fastest way */
  uint8_t tried;  /* the way of the current call */
  uint8_t next;   /* 1 or 2: how far from `way` the next one to try is */
  uint8_t isUsed; /* the call has had work for several threads */
} recur_tuner;

/// Compares the ways from scratch. The calls go on in the way that was the fastest one.
RECUR_TUNER_INLINE void recur_tuner_restart(recur_tuner *tuner) {
  tuner->tried = tuner->way;
  tuner->left = tuner->calls = recur_tuner_least_calls;
  tuner->usual = 0;
  tuner->times[tuner->way] = UINT64_MAX;
}

/// `gang` and `gang_ctx` are those of the pool, and `clock` returns nanoseconds since any moment. All must live as long
/// as the tuner.
RECUR_TUNER_INLINE void recur_tuner_init(recur_tuner *tuner,
                                         void (*gang)(void *gang_ctx, int32_t want, recur_body body, void *arg),
                                         void *gang_ctx, uint64_t (*clock)(void)) {
  tuner->gang = gang;
  tuner->gang_ctx = gang_ctx;
  tuner->clock = clock;
  tuner->work = 0;
  tuner->began = 0;
  tuner->way = 0;
  tuner->next = 1;
  tuner->isUsed = 0;
  recur_tuner_restart(tuner);
}

/// The gang of a model, whose gang_ctx is a recur_tuner.
RECUR_TUNER_INLINE void recur_tuner_gang(void *gang_ctx, int32_t want, recur_body body, void *arg) {
  /* The least number of threads that work must be worth, in each way. */
  static const int32_t least[recur_tuner_ways] = {2, 8, INT32_MAX};
  recur_tuner *tuner = (recur_tuner *)gang_ctx;
  tuner->isUsed = 1;
  if (want < least[tuner->tried])
    body(arg, 0, 1);
  else
    tuner->gang(tuner->gang_ctx, want, body, arg);
}

/// Stands in front of a call. Calls with the same `work` are expected to take the same time: it is any function of the
/// shapes of the inputs, and 0 if they are static.
RECUR_TUNER_INLINE void recur_tuner_begin(recur_tuner *tuner, uint64_t work) {
  if (work != tuner->work) {
    tuner->work = work;
    recur_tuner_restart(tuner);
  }
  /* The clock is read only if the last call has had work for threads. */
  tuner->began = tuner->isUsed ? tuner->clock() : 0;
  tuner->isUsed = 0;
}

/// Stands behind a call that has succeeded.
RECUR_TUNER_INLINE void recur_tuner_end(recur_tuner *tuner) {
  if (!tuner->began || !tuner->isUsed)
    return;
  uint64_t time = tuner->clock() - tuner->began;
  uint64_t *fast = &tuner->times[tuner->tried];
  if (tuner->tried != tuner->way) {
    *fast = time < *fast ? time : *fast;
    if (--tuner->left)
      return;
    uint64_t usual = tuner->times[tuner->way];
    if (*fast < usual - usual / 32) {
      tuner->way = tuner->tried;
      tuner->calls = recur_tuner_least_calls;
    } else {
      tuner->next = (uint8_t)(3 - tuner->next);
      tuner->calls = tuner->calls < recur_tuner_most_calls ? 2 * tuner->calls : tuner->calls;
    }
    tuner->tried = tuner->way;
    tuner->left = tuner->calls;
    tuner->usual = tuner->times[tuner->way];
    return;
  }
  /* The time of a fast call grows if no call has been as fast for some time. */
  uint64_t slower = *fast > UINT64_MAX / 2 ? *fast : *fast + *fast / 16 + 1;
  *fast = time < slower ? time : slower;
  /* The way has got slower, so another one may be the fastest now. */
  if (tuner->usual && *fast > tuner->usual + tuner->usual / 4) {
    tuner->usual = *fast;
    tuner->calls = recur_tuner_least_calls;
    tuner->left = 1;
  }
  if (--tuner->left)
    return;
  tuner->tried = (uint8_t)((tuner->way + tuner->next) % recur_tuner_ways);
  tuner->times[tuner->tried] = UINT64_MAX;
  tuner->left = recur_tuner_try_calls;
}

// NOLINTEND(modernize-*)

#endif /* RECUR_TUNER_H */
