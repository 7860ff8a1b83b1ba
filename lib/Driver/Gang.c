// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Gang.c - threads for a compiled model ------------------------------===//
//
// Each thread has a slot of its own, in which the caller puts its next task, so a thread that takes no part in a task
// is not disturbed. First the caller calls the threads by a ticket. Only those that answer soon take part: a thread
// that sleeps, or that another program has displaced, would make the call slower than one thread is. The atomic
// operations are those of GCC and Clang, because C99 has none.
//
//===----------------------------------------------------------------------===//
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "Gang.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum {
  /* The number of looks at a slot before a thread sleeps: about a millisecond, so that it is awake
     when the next call of a model begins. */
  gangLooksBeforeSleep = 30000,
  /* The number of looks of the caller for an answer: some, and a few for each thread that the work is worth, so that
     the time is a small part of the work. */
  gangLooksForAnswer = 10,
  gangLooksForWork = 4,
  gangMostLooks = 2000,
  /* The number of looks of the caller before it lets other threads run, perhaps those that it waits for. */
  gangLooksBeforeYield = 1000
};

/// The task of one thread. `called` and `here` are the tickets of the last call and of the last answer. `given` counts
/// the tasks that it was given, `done` those that it has finished.
typedef struct gang_slot {
  uint64_t called, here, given, done;
  recur_body body; /* null: the thread ends */
  void *arg;
  int32_t index, count;
  int32_t isAsleep;
  pthread_t thread;
  pthread_mutex_t mutex; /* for sleeping */
  pthread_cond_t wake;
  uint8_t apart[128]; /* keeps the slots in different cache lines */
} gang_slot;

struct gang_threads {
  int32_t count;  /* of all threads, with the caller */
  int32_t isBusy; /* 1 while a call of a model has the threads */
  int32_t isPatient;
  gang_slot *slots;
};

static void gangPause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Answers a call. Returns true if there was a new one.
static int gangAnswer(gang_slot *slot) {
  uint64_t ticket = __atomic_load_n(&slot->called, __ATOMIC_SEQ_CST);
  int isNew = ticket != slot->here;
  if (isNew)
    __atomic_store_n(&slot->here, ticket, __ATOMIC_RELEASE);
  return isNew;
}

/// Waits until the thread has been given more than `done` tasks, and answers calls meanwhile.
static void gangAwaitTask(gang_slot *slot, uint64_t done) {
  for (;;) {
    for (int look = 0; look < gangLooksBeforeSleep; ++look) {
      if (__atomic_load_n(&slot->given, __ATOMIC_ACQUIRE) != done)
        return;
      if (gangAnswer(slot))
        look = 0;
      gangPause();
    }
    /* Either this thread sees the call, or the caller sees that the thread sleeps: both orders are sequential. */
    pthread_mutex_lock(&slot->mutex);
    __atomic_store_n(&slot->isAsleep, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&slot->called, __ATOMIC_SEQ_CST) == slot->here &&
           __atomic_load_n(&slot->given, __ATOMIC_SEQ_CST) == done)
      pthread_cond_wait(&slot->wake, &slot->mutex);
    __atomic_store_n(&slot->isAsleep, 0, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&slot->mutex);
  }
}

static void *gangWork(void *argument) {
  gang_slot *slot = (gang_slot *)argument;
  for (uint64_t done = 0;;) {
    gangAwaitTask(slot, done);
    if (!slot->body)
      return NULL;
    slot->body(slot->arg, slot->index, slot->count);
    __atomic_store_n(&slot->done, ++done, __ATOMIC_RELEASE);
  }
}

static int gangIsHere(gang_slot *slot) { return __atomic_load_n(&slot->here, __ATOMIC_ACQUIRE) == slot->called; }

static void gangWake(gang_slot *slot) {
  if (!__atomic_load_n(&slot->isAsleep, __ATOMIC_SEQ_CST))
    return;
  pthread_mutex_lock(&slot->mutex);
  pthread_cond_signal(&slot->wake);
  pthread_mutex_unlock(&slot->mutex);
}

static void gangGive(gang_slot *slot, recur_body body, void *arg, int32_t index, int32_t count) {
  slot->body = body;
  slot->arg = arg;
  slot->index = index;
  slot->count = count;
  __atomic_store_n(&slot->given, slot->given + 1, __ATOMIC_SEQ_CST);
  gangWake(slot);
}

/// Calls `most` threads, and waits a short time for their answers. Returns the number of those that are here.
static int32_t gangCall(gang_threads *gang, int32_t most, int32_t want) {
  for (int32_t i = 1; i <= most; ++i) {
    gang_slot *slot = &gang->slots[i];
    __atomic_store_n(&slot->called, slot->called + 1, __ATOMIC_SEQ_CST);
    gangWake(slot);
  }
  int64_t looks = gangLooksForAnswer + gangLooksForWork * (int64_t)want;
  for (int64_t look = 0;; ++look) {
    int32_t here = 0;
    for (int32_t i = 1; i <= most; ++i)
      here += gangIsHere(&gang->slots[i]);
    if (here == most || (!gang->isPatient && look >= (looks < gangMostLooks ? looks : gangMostLooks)))
      return here;
    gangPause();
    if (look >= gangLooksBeforeYield)
      sched_yield();
  }
}

gang_threads *gangStart(int threads, int isPatient) {
  if (threads < 1 || threads > gangMaxThreads)
    return NULL;
  gang_threads *gang = (gang_threads *)calloc(1, sizeof(gang_threads));
  gang_slot *slots = (gang_slot *)calloc((size_t)threads, sizeof(gang_slot));
  if (!gang || !slots) {
    free(gang);
    free(slots);
    return NULL;
  }
  gang->slots = slots;
  gang->count = 1;
  gang->isPatient = isPatient;
  while (gang->count < threads) {
    gang_slot *slot = &slots[gang->count];
    int hasMutex = pthread_mutex_init(&slot->mutex, NULL) == 0;
    int hasWake = hasMutex && pthread_cond_init(&slot->wake, NULL) == 0;
    if (!hasWake || pthread_create(&slot->thread, NULL, gangWork, slot) != 0) {
      if (hasWake)
        pthread_cond_destroy(&slot->wake);
      if (hasMutex)
        pthread_mutex_destroy(&slot->mutex);
      gangStop(gang);
      return NULL;
    }
    ++gang->count;
  }
  return gang;
}

void gangStop(gang_threads *gang) {
  for (int32_t i = 1; gang && i < gang->count; ++i) {
    gang_slot *slot = &gang->slots[i];
    gangGive(slot, NULL, NULL, 0, 0);
    pthread_join(slot->thread, NULL);
    pthread_cond_destroy(&slot->wake);
    pthread_mutex_destroy(&slot->mutex);
  }
  if (gang)
    free(gang->slots);
  free(gang);
}

void gangRun(void *gang_ctx, int32_t want, recur_body body, void *arg) {
  gang_threads *gang = (gang_threads *)gang_ctx;
  int32_t most = (want < gang->count ? want : gang->count) - 1;
  if (most < 1 || __atomic_exchange_n(&gang->isBusy, 1, __ATOMIC_ACQUIRE)) {
    body(arg, 0, 1);
    return;
  }
  int32_t count = 1 + gangCall(gang, most, want), index = 1;
  for (int32_t i = 1; i <= most && index < count; ++i)
    if (gangIsHere(&gang->slots[i]))
      gangGive(&gang->slots[i], body, arg, index++, count);
  body(arg, 0, count);
  for (int32_t i = 1; i <= most; ++i)
    for (int look = 0; __atomic_load_n(&gang->slots[i].done, __ATOMIC_ACQUIRE) != gang->slots[i].given; ++look) {
      gangPause();
      if (look >= gangLooksBeforeYield)
        sched_yield();
    }
  __atomic_store_n(&gang->isBusy, 0, __ATOMIC_RELEASE);
}
