// Decoders of streams that take no more memory than a call is granted.
#ifndef CARREL_CPDF_STREAMFILTERS_H
#define CARREL_CPDF_STREAMFILTERS_H

/// Puts the decoders of this file in the place of qpdf's, which have no limits. For a program that uses qpdf itself they do the same.
///
/// Returns true, so that it can be called before `main`, when no other thread can be looking at qpdf's list of decoders.
bool installStreamFilters();

#endif
