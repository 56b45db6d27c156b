//! Windows: the agent may be started by the service control manager, which then wants to hear of its state and tells it
//! when to stop. A service is installed by asking that manager.

use super::{Limits, SERVICE_NAME as NAME, ServiceRequest, System, Work};
use crate::failure::Failure;
use crate::stop;
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
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
pub(crate) const TO_BE_ADMINISTRATOR: &str = "run it in a terminal that was opened as administrator";

/// `ERROR_SERVICE_DOES_NOT_EXIST` of winerror.h.
const DOES_NOT_EXIST: i32 = 1060;

/// `ERROR_FAILED_SERVICE_CONTROLLER_CONNECT` of winerror.h: a person has started this program.
const NOT_STARTED_AS_SERVICE: i32 = 1063;

/// How long a service may take to start or to stop: a repetition comes to its end first.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a service that starts or stops is looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// What waits for the service control manager to begin.
static WORK: Mutex<Option<Work>> = Mutex::new(None);

/// How the work ended that it began.
static ENDED: Mutex<Option<crate::Result<()>>> = Mutex::new(None);

/// To whom the state of the service is told, if it is one.
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
        (Err(error), ..) => Err(told("the service control manager does not start the service", error)),
        (Ok(()), _, ended) => ended.unwrap_or(Ok(())),
    }
}

/// The service, in a thread of the service control manager's.
fn run(_arguments: Vec<OsString>) {
    let (signal, stopper) = stop::signal();
    let handle = move |control| match control {
        ServiceControl::Stop | ServiceControl::Shutdown => {
            tell(ServiceState::StopPending, 0);
            stopper.stop();
            ServiceControlHandlerResult::NoError
        }
        ServiceControl::Interrogate => ServiceControlHandlerResult::NoError,
        _ => ServiceControlHandlerResult::NotImplemented,
    };
    let ended = match (service_control_handler::register(NAME, handle), lock(&WORK).take()) {
        (Ok(manager), Some(work)) => {
            let _ = MANAGER.set(manager);
            tell(ServiceState::StartPending, 0);
            work(signal)
        }
        (Err(error), _) => Err(told("the service control manager does not listen", error)),
        (_, None) => Ok(()),
    };
    let code = ended.as_ref().err().map_or(0, Failure::code);
    *lock(&ENDED) = Some(ended);
    // The process may end as soon as this is told.
    tell(ServiceState::Stopped, code);
}

pub(crate) fn ready() {
    tell(ServiceState::Running, 0);
}

/// Tells the service control manager a state, if it has started us.
fn tell(state: ServiceState, code: u8) {
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
        wait_hint: if is_pending { PATIENCE } else { Duration::ZERO },
        process_id: None,
    };
    // If it has gone, there is nobody to tell.
    let _ = MANAGER.get().map(|manager| manager.set_service_status(status));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new file has the permissions of its folder.
pub(crate) fn ordinary_permissions() -> Option<Permissions> {
    None
}

pub(crate) fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

pub(crate) fn others_may_read(_path: &Path) -> io::Result<bool> {
    Ok(false)
}

pub(crate) fn owner(_path: &Path) -> io::Result<String> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "on Windows a file's owner need not be a user"))
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
                .map_err(|error| Failure::Other(format!("the settings of the service are wrong: {error}")))?;
            create(settings).map_err(|error| told("the service cannot be created", error))
        }
        ServiceRequest::Start => start(),
        ServiceRequest::Delete => delete().map_err(|error| told("the service cannot be removed", error)),
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
    // To restart it after failures is a right to start it.
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
        // The last one stands for all that follow.
        actions: Some(vec![restart]),
    })?;
    service.set_failure_actions_on_non_crash_failures(true)
}

fn start() -> crate::Result<()> {
    let failed = |error| told("the service cannot be started", error);
    let service = service(ServiceAccess::START | ServiceAccess::QUERY_STATUS).map_err(failed)?;
    service.start::<&OsStr>(&[]).map_err(failed)?;
    let status = settled(&service, ServiceState::StartPending).map_err(failed)?;
    match (status.current_state, status.exit_code) {
        (ServiceState::Running, _) => Ok(()),
        (_, ServiceExitCode::ServiceSpecific(code)) => {
            Err(Failure::Other(format!("it ended with exit code {code}")))
        }
        (state, code) => Err(Failure::Other(format!("it is {state:?}, {code:?}: expected it to run"))),
    }
}

fn delete() -> windows_service::Result<()> {
    let service = service(ServiceAccess::STOP | ServiceAccess::QUERY_STATUS | ServiceAccess::DELETE)?;
    // From now on it is not started again, and it is forgotten once it has stopped.
    service.delete()?;
    // One that starts takes no orders.
    if settled(&service, ServiceState::StartPending)?.current_state == ServiceState::Running {
        service.stop()?;
    }
    settled(&service, ServiceState::StopPending).map(drop)
}

/// Its status once it is no longer in this state, or when patience has ended.
fn settled(service: &Service, pending: ServiceState) -> windows_service::Result<ServiceStatus> {
    let end = Instant::now() + PATIENCE;
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
        Err(error) => Err(told("the service control manager does not tell the state of the service", error)),
    }
}

fn manager(access: ServiceManagerAccess) -> windows_service::Result<ServiceManager> {
    ServiceManager::local_computer(None::<&OsStr>, access)
}

fn service(access: ServiceAccess) -> windows_service::Result<Service> {
    manager(ServiceManagerAccess::CONNECT)?.open_service(NAME, access)
}

/// What the system says is the source of the library's error.
fn told(what: &str, error: windows_service::Error) -> Failure {
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

const NOT_CONFINED: &str = "nobody has tried how on Windows";

pub(crate) fn can_confine() -> Result<(), String> {
    Err(NOT_CONFINED.into())
}

pub(crate) fn user(_name: &str) -> io::Result<(u32, u32)> {
    Err(io::Error::other(NOT_CONFINED))
}

pub(crate) fn become_confined(_limits: Limits, _has_network: bool, _command: Command) -> io::Error {
    io::Error::other(NOT_CONFINED)
}

/// Nobody is become here.
pub(crate) fn lock_of_user(user_id: u32) -> PathBuf {
    std::env::temp_dir().join(format!("roundtrip-job-{user_id}.lock"))
}

const NOT_REPLACED: &str = "nobody has tried how on Windows";

pub(crate) fn can_update() -> Result<(), String> {
    Err(NOT_REPLACED.into())
}

pub(crate) fn become_program(_command: Command) -> io::Error {
    io::Error::other(NOT_REPLACED)
}

pub(crate) fn end_all_of(_user_id: u32, _group_id: u32) {}

pub(crate) fn give(_folder: &Path, _user_id: u32, _group_id: u32) -> io::Result<()> {
    Err(io::Error::other(NOT_CONFINED))
}

const NOT_RECORDED: &str =
    "roundtrip record watches system calls as only Linux lets it: nobody has tried how on Windows";

pub(crate) fn can_record() -> Result<(), String> {
    Err(NOT_RECORDED.into())
}

pub(crate) fn is_channel(_path: &Path) -> io::Result<bool> {
    Err(io::Error::other(NOT_RECORDED))
}

pub(crate) fn ask_to_end(_child: &Child) -> io::Result<()> {
    Err(io::Error::other(NOT_RECORDED))
}
