//! Environment variables that change how runtimes, allocators and the loader work. A program that knee runs has them
//! from the shell, so a study that is continued in another shell may measure something else.

use std::ffi::OsString;

/// Variables by name.
const NAMES: [&str; 24] = [
    "GHCRTS",
    "GODEBUG",
    "GOEXPERIMENT",
    "GOGC",
    "GOMAXPROCS",
    "GOMEMLIMIT",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "JULIA_CPU_TARGET",
    "JULIA_EXCLUSIVE",
    "JULIA_NUM_THREADS",
    "LD_BIND_NOW",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "POLARS_MAX_THREADS",
    "PYTHONMALLOC",
    "PYTHONOPTIMIZE",
    "PYTHON_GIL",
    "PYTHON_JIT",
    "TOKIO_WORKER_THREADS",
    "UV_THREADPOOL_SIZE",
    "VECLIB_MAXIMUM_THREADS",
    "_JAVA_OPTIONS",
];

/// Variables by how their names begin.
const FAMILIES: [&str; 15] = [
    "ARROW_",
    "BLIS_",
    "GLIBC_TUNABLES",
    "GOMP_",
    "GOTO_",
    "KMP_",
    "LIBOMP_",
    "MALLOC_",
    "MIMALLOC_",
    "MKL_",
    "NUMBA_",
    "OMP_",
    "OPENBLAS_",
    "RAYON_",
    "TCMALLOC_",
];

/// Those that are set, with their values: `GOGC=50; OMP_WAIT_POLICY=passive`; `none` where none is.
pub(super) fn runtime_variables(all: impl Iterator<Item = (OsString, OsString)>) -> String {
    let text = |text: OsString| text.to_string_lossy().replace(char::is_control, " ");
    let named = all.map(|(name, value)| (text(name), text(value)));
    let named = named.filter(|(name, _)| counts(name));
    let mut found: Vec<String> = named.map(|(name, value)| format!("{name}={}", without_secrets(&value))).collect();
    found.sort();
    if found.is_empty() { "none".into() } else { found.join("; ") }
}

/// The words of a value, without what may be a password: `-Dhttp.proxyPassword=...`.
fn without_secrets(value: &str) -> String {
    let is_secret = |name: &str| {
        let name = name.to_lowercase();
        ["pass", "secret", "token", "credential"].iter().any(|word| name.contains(word))
    };
    let told = |word: &str| match word.split_once('=') {
        Some((name, _)) if is_secret(name) => format!("{name}=..."),
        _ => word.to_owned(),
    };
    value.split(' ').map(told).collect::<Vec<_>>().join(" ")
}

fn counts(name: &str) -> bool {
    NAMES.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_runtimes_are_told_and_others_are_not() {
        let told = |pairs: &[(&str, &str)]| {
            runtime_variables(pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
        };
        assert_eq!(told(&[("HOME", "/home/me"), ("GOGC_SECRET", "x"), ("PATH", "/bin")]), "none");
        let some = [("OMP_WAIT_POLICY", "passive"), ("USER", "me"), ("GOGC", "50"), ("LD_PRELOAD", "a\nb")];
        assert_eq!(told(&some), "GOGC=50; LD_PRELOAD=a b; OMP_WAIT_POLICY=passive");
        let secret = [("JAVA_TOOL_OPTIONS", "-Xmx1g -Dhttp.proxyPassword=x -Da=b")];
        assert_eq!(told(&secret), "JAVA_TOOL_OPTIONS=-Xmx1g -Dhttp.proxyPassword=... -Da=b");
    }
}
