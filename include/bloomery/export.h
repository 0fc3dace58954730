// What the shared library shows of itself: which symbols, and of which version.
#pragma once

// Marks what the shared library exports; everything else is hidden.
#define BLOOMERY_API __attribute__((visibility("default")))

// The namespace of everything, which users write bloomery::. The version is part of every symbol, so that two versions
// of the library in one process do not take each other's: `namespace BLOOMERY_NAMESPACE {` opens it. A version that
// breaks the binary interface has another number here.
#define BLOOMERY_NAMESPACE bloomery::inline v1
