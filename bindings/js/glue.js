// For emscripten's linker alone, which asks who defines what the modules import: host.js does.
mergeInto(LibraryManager.library, { dressing: function () {} });
