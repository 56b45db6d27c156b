/* bcryptprimitives.dll for a Wine that lacks it: Rust's standard library imports this one function from it.
   https://learn.microsoft.com/en-us/windows/win32/seccng/processprng */
#include <windows.h>
#include <ntsecapi.h>

enum { PIECE_BYTES_MAX = 1 << 20 };

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T bytes) {
  while (bytes > 0) {
    ULONG piece = bytes > PIECE_BYTES_MAX ? PIECE_BYTES_MAX : (ULONG)bytes;
    if (!RtlGenRandom(data, piece)) return FALSE;
    data += piece;
    bytes -= piece;
  }
  return TRUE;
}
