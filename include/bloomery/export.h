// What the shared library exports, and the namespace that carries its version.
#pragma once

// Marks what the shared library exports; everything else is hidden.
#define BLOOMERY_API __attribute__((visibility("default")))

// The namespace of everything; `namespace BLOOMERY_NAMESPACE {` opens it, and users write bloomery::. The version is
// part of every symbol, so that two versions of the library in one process do not use each other's functions. A version
// that breaks the binary interface has another number here.
#define BLOOMERY_NAMESPACE bloomery::inline v1
