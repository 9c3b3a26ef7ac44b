// GRDB links SQLite; where it is missing, GRDB's error names only a header. Installed.c says what to install.
#ifndef CARREL_CSQLITE_H
#define CARREL_CSQLITE_H
#endif
