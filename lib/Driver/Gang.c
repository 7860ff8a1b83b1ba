// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Gang.c - threads for a compiled model ------------------------------===//
//
// Each thread has a slot of its own, in which the caller puts its next task, so a thread that takes no part in a task
// is not disturbed. If all threads have ended their last task in time, the caller gives the next one at once.
// Otherwise it calls them first, and only those that answer soon take part: a thread that sleeps, or that another
// program has displaced, would make the call slower than one thread is. `recur::Threads` (recur_gang.hpp) is the same
// in C++. The atomic operations are those of GCC and Clang, because C99 has none.
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
  gangLooksBeforeYield = 1000,
  /* The number of looks before a thread of a patient gang sleeps. */
  gangPatientLooks = 10
};

/// The states of a slot. The caller makes it `called` if it is `idle` or `asleep`; its thread answers with `here`, and
/// waits for a task. The caller makes a slot that did not answer in time `idle` again, by compare and exchange, so both
/// agree. A task makes it `given`, and its end `idle`.
enum { gangIdle, gangAsleep, gangCalled, gangHere, gangGiven, gangEnded };

/// The task of one thread.
typedef struct gang_slot {
  int32_t state;
  int32_t isPatient; /* that of the gang */
  int32_t index, count;
  recur_body body;
  void *arg;
  pthread_t thread;
  pthread_mutex_t mutex; /* for sleeping */
  pthread_cond_t wake;
  uint8_t apart[128]; /* keeps the slots in different cache lines */
} gang_slot;

struct gang_threads {
  int32_t count;  /* of all threads, with the caller */
  int32_t isBusy; /* 1 while a call of a model has the threads */
  int32_t isPatient;
  int32_t isPrompt; /* 1 if all threads of the last task ended it in time */
  gang_slot *slots;
};

static void gangPause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// One look without success. After many, other threads may run, perhaps those that the caller waits for. A patient gang
/// may have more threads than there are CPUs, so its caller lets them run at once. Returns the number of looks, up to
/// gangLooksBeforeYield.
static int gangRest(int look, int isPatient) {
  gangPause();
  if (look < gangLooksBeforeYield && !isPatient)
    return look + 1;
  sched_yield();
  return gangLooksBeforeYield;
}

static int gangState(gang_slot *slot) { return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE); }

/// Changes the state if it is `from`. Returns true if it was.
static int gangChange(gang_slot *slot, int32_t from, int32_t to) {
  return __atomic_compare_exchange_n(&slot->state, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/// Sets the state, and wakes the thread if it sleeps.
static void gangSet(gang_slot *slot, int32_t state) {
  if (__atomic_exchange_n(&slot->state, state, __ATOMIC_ACQ_REL) != gangAsleep)
    return;
  pthread_mutex_lock(&slot->mutex);
  pthread_cond_signal(&slot->wake);
  pthread_mutex_unlock(&slot->mutex);
}

static void gangSleep(gang_slot *slot) {
  pthread_mutex_lock(&slot->mutex);
  if (gangChange(slot, gangIdle, gangAsleep))
    while (gangState(slot) == gangAsleep)
      pthread_cond_wait(&slot->wake, &slot->mutex);
  pthread_mutex_unlock(&slot->mutex);
}

static void *gangWork(void *argument) {
  gang_slot *slot = (gang_slot *)argument;
  int looksBeforeSleep = slot->isPatient ? gangPatientLooks : gangLooksBeforeSleep;
  for (int look = 0;; ++look) {
    int32_t state = gangState(slot);
    if (state == gangEnded)
      return NULL;
    if (state == gangGiven) {
      slot->body(slot->arg, slot->index, slot->count);
      __atomic_store_n(&slot->state, gangIdle, __ATOMIC_RELEASE);
    } else if (state == gangCalled) {
      (void)gangChange(slot, gangCalled, gangHere);
    } else if (state == gangHere || look < looksBeforeSleep) {
      if (slot->isPatient)
        sched_yield();
      else
        gangPause();
      continue;
    } else {
      gangSleep(slot);
    }
    look = 0;
  }
}

/// True if the first `most` threads are all in a state.
static int gangAreAll(gang_threads *gang, int32_t most, int32_t state) {
  for (int32_t i = 1; i <= most; ++i)
    if (gangState(&gang->slots[i]) != state)
      return 0;
  return 1;
}

/// Calls the first `most` threads, and waits a short time for their answers. Returns the number of those that are here.
static int32_t gangCall(gang_threads *gang, int32_t most, int32_t want) {
  for (int32_t i = 1; i <= most; ++i)
    gangSet(&gang->slots[i], gangCalled);
  int64_t looks = gangLooksForAnswer + gangLooksForWork * (int64_t)want;
  looks = looks < gangMostLooks ? looks : gangMostLooks;
  for (int look = 0; (gang->isPatient || looks-- > 0) && !gangAreAll(gang, most, gangHere);)
    look = gangRest(look, gang->isPatient);
  int32_t here = 0;
  for (int32_t i = 1; i <= most; ++i)
    here += gangState(&gang->slots[i]) == gangHere || !gangChange(&gang->slots[i], gangCalled, gangIdle);
  return here;
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
    slot->isPatient = isPatient;
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
    gangSet(slot, gangEnded);
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
  /* A thread that goes to sleep between this look and its task is woken. */
  int isPrompt = gang->isPrompt && gangAreAll(gang, most, gangIdle);
  int32_t count = 1 + (isPrompt ? most : gangCall(gang, most, want)), index = 1;
  for (int32_t i = 1; i <= most && index < count; ++i) {
    gang_slot *slot = &gang->slots[i];
    if (!isPrompt && gangState(slot) != gangHere)
      continue;
    slot->body = body;
    slot->arg = arg;
    slot->index = index++;
    slot->count = count;
    gangSet(slot, gangGiven);
  }
  body(arg, 0, count);
  gang->isPrompt = count > most;
  for (int32_t i = 1; i <= most; ++i) {
    int look = 0;
    while (gangState(&gang->slots[i]) == gangGiven)
      look = gangRest(look, gang->isPatient);
    gang->isPrompt &= look < gangLooksBeforeYield;
  }
  __atomic_store_n(&gang->isBusy, 0, __ATOMIC_RELEASE);
}
