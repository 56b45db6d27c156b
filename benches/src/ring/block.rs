//! Process memory for a ring, in its unit tests and in the model checker.

use super::Keeper;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::Arc;

/// A view of zeroed memory that begins at a page boundary. Dropping the last view frees it.
#[derive(Clone)]
pub(crate) struct View(Arc<Block>);

struct Block {
    address: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it contains atomics and the data that they guard.
#[expect(unsafe_code, reason = "memory that threads share")]
unsafe impl Send for Block {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "memory that threads share")]
unsafe impl Sync for Block {}

impl View {
    #[expect(unsafe_code, reason = "memory that threads share")]
    pub(crate) fn zeroed(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, 4_096).unwrap();
        // SAFETY: the layout is not empty.
        let address = NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap();
        Self(Arc::new(Block { address, layout }))
    }
}

impl Keeper for View {
    fn address(&self) -> NonNull<u8> {
        self.0.address
    }

    fn bytes(&self) -> usize {
        self.0.layout.size()
    }
}

impl Drop for Block {
    #[expect(unsafe_code, reason = "memory that threads share")]
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and this was the last view.
        unsafe { dealloc(self.address.as_ptr(), self.layout) };
    }
}
