@_exported public import LCP
