/* git.exe for Wine: runs the host's git with the same arguments, and passes its output and exit code back.
   CreateProcess can start host programs, but returns no handle to wait for them and cannot pass Windows pipes to them.
   This program therefore uses Wine's own call, which waits, and passes the output through files. */
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANNOT_RUN = 126 };

/* Functions of ntdll and kernel32 that Wine adds to those of Windows. */
typedef LONG(WINAPI *spawn_function)(char *const arguments[], int wait);
typedef char *(CDECL *path_function)(const WCHAR *path);

static FARPROC find(const char *library, const char *name) {
  FARPROC found = GetProcAddress(GetModuleHandleA(library), name);
  if (!found) {
    fprintf(stderr, "git.exe: %s has no %s: expected Wine\n", library, name);
    exit(CANNOT_RUN);
  }
  return found;
}

static int is_windows_path(const WCHAR *text) {
  return text[0] && text[1] == L':' && (text[2] == L'\\' || text[2] == L'/');
}

static char *narrow(const WCHAR *text) {
  int bytes = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
  char *result = malloc(bytes);
  if (result) WideCharToMultiByte(CP_UTF8, 0, text, -1, result, bytes, NULL, NULL);
  return result;
}

/* Converts a path or a file address for the host, and copies any other argument. */
static char *translate(path_function unix_path, const WCHAR *argument) {
  static const WCHAR scheme[] = L"file://";
  const size_t scheme_length = wcslen(scheme);
  int is_address = wcsncmp(argument, scheme, scheme_length) == 0;
  const WCHAR *path = is_address ? argument + scheme_length : argument;
  if (wcsncmp(path, L"\\\\?\\", 4) == 0) path += 4;
  if (!is_windows_path(path)) return narrow(argument);
  char *found = unix_path(path);
  if (!is_address || !found) return found;
  char *address = malloc(scheme_length + strlen(found) + 1);
  if (address) sprintf(address, "file://%s", found);
  return address;
}

static void pass_on(const WCHAR *path, DWORD to) {
  char piece[1 << 16];
  DWORD bytes, written;
  HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, 0, NULL);
  while (ReadFile(file, piece, sizeof piece, &bytes, NULL) && bytes > 0)
    WriteFile(GetStdHandle(to), piece, bytes, &written, NULL);
  CloseHandle(file);
  DeleteFileW(path);
}

int wmain(int count, WCHAR **arguments) {
  spawn_function spawn = (spawn_function)(void *)find("ntdll", "__wine_unix_spawnvp");
  path_function unix_path = (path_function)(void *)find("kernel32", "wine_get_unix_file_name");
  WCHAR folder[MAX_PATH], output[MAX_PATH], error[MAX_PATH];
  GetTempPathW(MAX_PATH, folder);
  if (!GetTempFileNameW(folder, L"out", 0, output) || !GetTempFileNameW(folder, L"err", 0, error)) {
    fprintf(stderr, "git.exe: no temporary file\n");
    return CANNOT_RUN;
  }
  char script[] = "output=$1 error=$2; shift 2; exec git \"$@\" <&- >\"$output\" 2>\"$error\"";
  char **started = calloc(count + 6, sizeof *started);
  if (!started) return CANNOT_RUN;
  int next = 0;
  started[next++] = "/bin/sh";
  started[next++] = "-c";
  started[next++] = script;
  started[next++] = "git";
  started[next++] = unix_path(output);
  started[next++] = unix_path(error);
  for (int index = 1; index < count; index++) {
    started[next] = translate(unix_path, arguments[index]);
    if (!started[next++]) return CANNOT_RUN;
  }
  LONG status = spawn(started, TRUE);
  pass_on(output, STD_OUTPUT_HANDLE);
  pass_on(error, STD_ERROR_HANDLE);
  return status;
}
