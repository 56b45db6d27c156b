//! Windows: the service control manager installs, starts and stops the agent, which reports its state to the
//! manager.

use super::{Folders, Limits, SERVICE_NAME as NAME, ServiceRequest, System, Work};
use crate::failure::Failure;
use crate::stop;
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use windows_service::service::{
    Service, ServiceAccess, ServiceAction, ServiceActionType, ServiceControl, ServiceControlAccept,
    ServiceErrorControl, ServiceExitCode, ServiceFailureActions, ServiceFailureResetPeriod, ServiceInfo,
    ServiceStartType, ServiceState, ServiceStatus, ServiceType,
};
use windows_service::service_control_handler::{self, ServiceControlHandlerResult, ServiceStatusHandle};
use windows_service::service_dispatcher;
use windows_service::service_manager::{ServiceManager, ServiceManagerAccess};

pub(crate) const SYSTEM: System = System::Windows;
pub(crate) const TO_BE_ADMINISTRATOR: &str = "run it in an administrator terminal";

/// `ERROR_SERVICE_DOES_NOT_EXIST` of winerror.h.
const DOES_NOT_EXIST: i32 = 1060;

/// `ERROR_FAILED_SERVICE_CONTROLLER_CONNECT` of winerror.h: a user started this program.
const NOT_STARTED_AS_SERVICE: i32 = 1063;

/// The timeout for starting or stopping a service, which finishes its repetition first.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The interval of checks on a starting or stopping service.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// The work that waits for the service control manager.
static WORK: Mutex<Option<Work>> = Mutex::new(None);

/// The result of that work.
static ENDED: Mutex<Option<crate::Result<()>>> = Mutex::new(None);

/// The handle to report the service's state, if this is a service.
static MANAGER: OnceLock<ServiceStatusHandle> = OnceLock::new();

windows_service::define_windows_service!(service_main, run);

pub(crate) fn serve(work: Work) -> crate::Result<()> {
    *lock(&WORK) = Some(work);
    // Returns when the service has stopped.
    let begun = service_dispatcher::start(NAME, service_main);
    let (left, ended) = (lock(&WORK).take(), lock(&ENDED).take());
    match (begun, left, ended) {
        (Err(error), Some(work), _) if code(&error) == Some(NOT_STARTED_AS_SERVICE) => {
            work(stop::until_signalled()?)
        }
        (Err(error), ..) => Err(service_error("cannot connect to the service control manager", error)),
        (Ok(()), _, ended) => ended.unwrap_or(Ok(())),
    }
}

/// The service, in a thread of the service control manager.
fn run(_arguments: Vec<OsString>) {
    let (signal, stopper) = stop::signal();
    let handle = move |control| match control {
        ServiceControl::Stop | ServiceControl::Shutdown => {
            report_state(ServiceState::StopPending, 0);
            stopper.stop();
            ServiceControlHandlerResult::NoError
        }
        ServiceControl::Interrogate => ServiceControlHandlerResult::NoError,
        _ => ServiceControlHandlerResult::NotImplemented,
    };
    let ended = match (service_control_handler::register(NAME, handle), lock(&WORK).take()) {
        (Ok(manager), Some(work)) => {
            let _ = MANAGER.set(manager);
            report_state(ServiceState::StartPending, 0);
            work(signal)
        }
        (Err(error), _) => Err(service_error("cannot register with the service control manager", error)),
        (_, None) => Ok(()),
    };
    let code = ended.as_ref().err().map_or(0, Failure::code);
    *lock(&ENDED) = Some(ended);
    // The process may be ended right after this report.
    report_state(ServiceState::Stopped, code);
}

pub(crate) fn ready() {
    report_state(ServiceState::Running, 0);
}

/// Reports a state to the service control manager, if it has started us.
fn report_state(state: ServiceState, code: u8) {
    let is_pending = matches!(state, ServiceState::StartPending | ServiceState::StopPending);
    let status = ServiceStatus {
        service_type: ServiceType::OWN_PROCESS,
        current_state: state,
        controls_accepted: if state == ServiceState::Running {
            ServiceControlAccept::STOP | ServiceControlAccept::SHUTDOWN
        } else {
            ServiceControlAccept::empty()
        },
        exit_code: match code {
            0 => ServiceExitCode::NO_ERROR,
            code => ServiceExitCode::ServiceSpecific(code.into()),
        },
        checkpoint: 0,
        wait_hint: if is_pending { TIMEOUT } else { Duration::ZERO },
        process_id: None,
    };
    // If it has exited, there is no one to report to.
    let _ = MANAGER.get().map(|manager| manager.set_service_status(status));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new file has the permissions of its folder.
pub(crate) fn ordinary_permissions() -> Option<Permissions> {
    None
}

pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).open(path)
}

pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

pub(crate) fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

pub(crate) fn others_may_read(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

pub(crate) fn owner(_path: &Path) -> io::Result<String> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "unsupported on Windows: a file's owner may be a group"))
}

pub(crate) fn is_administrator() -> bool {
    manager(ServiceManagerAccess::CONNECT | ServiceManagerAccess::CREATE_SERVICE).is_ok()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    name: String,
    display_name: String,
    description: String,
    account: String,
    start: Start,
    program: PathBuf,
    arguments: Vec<String>,
    restart_after_seconds: u64,
    reset_after_seconds: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Start {
    DelayedAuto,
}

pub(crate) fn control(request: &ServiceRequest) -> crate::Result<()> {
    match request {
        ServiceRequest::Create(settings) => {
            let settings = toml::from_str(settings)
                .map_err(|error| Failure::Other(format!("invalid service settings: {error}")))?;
            create(settings).map_err(|error| service_error("cannot create the service", error))
        }
        ServiceRequest::Start => start(),
        ServiceRequest::Delete => delete().map_err(|error| service_error("cannot remove the service", error)),
    }
}

fn create(settings: Settings) -> windows_service::Result<()> {
    let manager = manager(ServiceManagerAccess::CONNECT | ServiceManagerAccess::CREATE_SERVICE)?;
    let Start::DelayedAuto = settings.start;
    let info = ServiceInfo {
        name: settings.name.into(),
        display_name: settings.display_name.into(),
        service_type: ServiceType::OWN_PROCESS,
        start_type: ServiceStartType::AutoStart,
        error_control: ServiceErrorControl::Normal,
        executable_path: settings.program,
        launch_arguments: settings.arguments.into_iter().map(OsString::from).collect(),
        dependencies: Vec::new(),
        account_name: Some(settings.account.into()),
        account_password: None,
    };
    // Restarting after failures needs the right to start.
    let service = manager.create_service(&info, ServiceAccess::CHANGE_CONFIG | ServiceAccess::START)?;
    service.set_description(settings.description)?;
    service.set_delayed_auto_start(true)?;
    let restart = ServiceAction {
        action_type: ServiceActionType::Restart,
        delay: Duration::from_secs(settings.restart_after_seconds),
    };
    service.update_failure_actions(ServiceFailureActions {
        reset_period: ServiceFailureResetPeriod::After(Duration::from_secs(settings.reset_after_seconds)),
        reboot_msg: None,
        command: None,
        // The last action also applies to all later failures.
        actions: Some(vec![restart]),
    })?;
    service.set_failure_actions_on_non_crash_failures(true)
}

fn start() -> crate::Result<()> {
    let failed = |error| service_error("cannot start the service", error);
    let service = service(ServiceAccess::START | ServiceAccess::QUERY_STATUS).map_err(failed)?;
    service.start::<&OsStr>(&[]).map_err(failed)?;
    let status = settled(&service, ServiceState::StartPending).map_err(failed)?;
    match (status.current_state, status.exit_code) {
        (ServiceState::Running, _) => Ok(()),
        (_, ServiceExitCode::ServiceSpecific(code)) => {
            Err(Failure::Other(format!("it exited with code {code}")))
        }
        (state, code) => Err(Failure::Other(format!("its state is {state:?} ({code:?}): expected running"))),
    }
}

fn delete() -> windows_service::Result<()> {
    let service = service(ServiceAccess::STOP | ServiceAccess::QUERY_STATUS | ServiceAccess::DELETE)?;
    // From here, it cannot be started, and is removed once it has stopped.
    service.delete()?;
    // A starting service accepts no requests.
    if settled(&service, ServiceState::StartPending)?.current_state == ServiceState::Running {
        service.stop()?;
    }
    settled(&service, ServiceState::StopPending).map(drop)
}

/// Its status once it has left this state, or after the timeout.
fn settled(service: &Service, pending: ServiceState) -> windows_service::Result<ServiceStatus> {
    let end = Instant::now() + TIMEOUT;
    loop {
        let status = service.query_status()?;
        if status.current_state != pending || Instant::now() > end {
            return Ok(status);
        }
        thread::sleep(LOOK_INTERVAL);
    }
}

pub(crate) fn controlled() -> crate::Result<Option<u32>> {
    let status = service(ServiceAccess::QUERY_STATUS).and_then(|service| service.query_status());
    match status {
        Ok(status) => Ok(Some(status.process_id.unwrap_or(0))),
        Err(error) if code(&error) == Some(DOES_NOT_EXIST) => Ok(None),
        Err(error) => Err(service_error("cannot read the state of the service", error)),
    }
}

fn manager(access: ServiceManagerAccess) -> windows_service::Result<ServiceManager> {
    ServiceManager::local_computer(None::<&OsStr>, access)
}

fn service(access: ServiceAccess) -> windows_service::Result<Service> {
    manager(ServiceManagerAccess::CONNECT)?.open_service(NAME, access)
}

/// The system's error is the source of the library's error.
fn service_error(what: &str, error: windows_service::Error) -> Failure {
    Failure::Other(match error {
        windows_service::Error::Winapi(error) => format!("{what}: {error}"),
        error => format!("{what}: {error}"),
    })
}

fn code(error: &windows_service::Error) -> Option<i32> {
    match error {
        windows_service::Error::Winapi(error) => error.raw_os_error(),
        _ => None,
    }
}

const UNSUPPORTED: &str = "unsupported on Windows";

pub(crate) fn can_confine() -> Result<(), String> {
    Err(UNSUPPORTED.into())
}

pub(crate) fn user(_name: &str) -> io::Result<(u32, u32)> {
    Err(io::Error::other(UNSUPPORTED))
}

pub(crate) fn become_confined(
    _limits: Limits,
    _folders: &Folders,
    _has_network: bool,
    _command: Command,
) -> io::Error {
    io::Error::other(UNSUPPORTED)
}

pub(crate) fn can_limit_total() -> Result<(), String> {
    Err(UNSUPPORTED.into())
}

pub(crate) fn release_user(_user_id: u32) {}

/// Unsupported on Windows.
pub(crate) fn lock_of_user(user_id: u32) -> PathBuf {
    std::env::temp_dir().join(format!("roundtrip-job-{user_id}.lock"))
}

pub(crate) fn can_update() -> Result<(), String> {
    Err(UNSUPPORTED.into())
}

pub(crate) fn become_program(_command: Command) -> io::Error {
    io::Error::other(UNSUPPORTED)
}

pub(crate) fn end_all_of(_user_id: u32, _group_id: u32) {}

pub(crate) fn give(_folder: &Path, _user_id: u32, _group_id: u32) -> io::Result<()> {
    Err(io::Error::other(UNSUPPORTED))
}

pub(crate) fn bytes_in(folder: &Path, bytes_max: u64) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // It may have been deleted meanwhile.
        let Ok(about) = entry.metadata() else { continue };
        let below = || bytes_in(&entry.path(), bytes_max).unwrap_or(0);
        bytes += if about.is_dir() { below() } else { about.len() };
        if bytes > bytes_max {
            break;
        }
    }
    Ok(bytes)
}

pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

const NOT_RECORDED: &str = "`roundtrip record` supports only Linux, not Windows";

pub(crate) fn can_record() -> Result<(), String> {
    Err(NOT_RECORDED.into())
}

pub(crate) fn is_channel(_path: &Path) -> io::Result<bool> {
    Err(io::Error::other(NOT_RECORDED))
}

pub(crate) fn ask_to_end(_child: &Child) -> io::Result<()> {
    Err(io::Error::other(NOT_RECORDED))
}
